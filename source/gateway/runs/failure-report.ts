import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';

/** Says that something failed; while it fails again and again for the same reason, once. */
export type FailureReport = {
	(what: string, error: unknown): void;
	/** It has succeeded. */
	over(): void;
};

/** What is tried every second must not fill the log while the store is away. */
export function createFailureReport(log: Logger, level: 'error' | 'warn' = 'error'): FailureReport {
	let said = '';
	return Object.assign(
		(what: string, error: unknown) => {
			const text = messageOf(error);
			if (said !== `${what} ${text}`) {
				said = `${what} ${text}`;
				log[level](what, {error: text});
			}
		},
		{
			over() {
				said = '';
			},
		},
	);
}
