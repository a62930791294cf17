"""The one loop of all agents: plan, act, observe, conclude, report, seal; with policy, repair, events, durability."""
