"""The page: a local web application that measures texts as they are typed, and the tour as interactive pages."""
