"""MoveIt and ros2_control for the arms of Arm Bridge: descriptions and parameters, made for the arms of a configuration."""
