/** Of `errorCodes`, those of runs. */
export const runErrorCodes = {
	run_cancelled:
		'A person cancelled the run, or its lease was lost: `svc runs show RUN` says which; `svc runs retry RUN` puts a cancelled run back in the queue',
	run_ended:
		'Only a run that waits or is at work can be cancelled. `svc runs show RUN` has its state: `svc runs drop` drops a run that ended badly, `svc runs retry` puts it back in the queue',
	run_not_deliverable:
		'The run has no answer to deliver, or has not ended: `svc runs show RUN` has its state; `svc runs retry RUN` lets the agent work again',
	run_not_droppable:
		'Only a run that is `failed`, `dead`, `interrupted` or `uncertain` can be dropped: `svc runs list --state …` finds them; `svc runs cancel` ends a run that has not ended',
	run_not_found: 'No stored run has that number: see `svc runs list`',
	run_not_retryable:
		'A run that is at work, `done` or `silent` cannot be tried again: `svc runs deliver` sends an answer once more, `svc deliveries replay` makes a new run of the event',
	run_timeout:
		'The run reached `runs.timeout_seconds` or `runs.max_steps`: raise the limit, or make the task smaller; `svc runs retry RUN` tries again',
} as const;
