/** Of `errorCodes`, those of runs. */
export const runErrorCodes = {
	run_cancelled: 'The run is not in a state for that',
	run_ended: 'The run is not in a state for that',
	run_not_deliverable: 'The run has no answer that could be handed over, or has not ended',
	run_not_droppable: 'The run is not in a state for that',
	run_not_found: 'Nothing has that name: look with `list`',
	run_not_retryable: 'The run is not in a state for that',
	run_timeout: 'The run reached `runs.timeout_seconds` or `runs.max_steps`',
} as const;
