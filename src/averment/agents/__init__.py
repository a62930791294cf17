"""The agents: each has its flow, its embedded reasoner and, when a model is there, a more fluent one."""
