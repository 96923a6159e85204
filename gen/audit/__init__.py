"""The audit of a dataset: can it be cheated, is it varied, is it well-formed?

A part of the audit is a function `part(data: Data, config: AuditConfig) -> Result`; `parts.py`
lists them.
"""
