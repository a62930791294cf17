"""Storage: files under one root, on this machine or in a shared store; uploads and artifacts."""
