"""The embedded renderer: shapes of objects, looks of attributes, scenes, ground truth."""
