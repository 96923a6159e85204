"""Binding triplets: text examples of seven construction types, two hard negatives each."""
