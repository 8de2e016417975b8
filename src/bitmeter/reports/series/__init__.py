"""What curves and bars are drawn from: pure functions of scores and traces, for the report and for single plots."""
