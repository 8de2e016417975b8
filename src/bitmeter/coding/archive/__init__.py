"""Archives: a text coded by a model."""
