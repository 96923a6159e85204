"""Language models as writers: requests in flight, answers judged as they come, all on record."""
