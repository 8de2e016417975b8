"""What curves and bars are drawn from: pure functions of scores and traces, shared by the report and by single plots."""
