"""Models of PyTorch and ONNX behind one interface."""
