"""What is learned of what people show: values in, values out; the rows are `execution.record`'s."""
