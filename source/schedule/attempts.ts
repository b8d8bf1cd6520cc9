import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

/** Calls of a journal that may fail for a while. */
export type Attempts = {
	/** What `action` resolves to; `undefined` when it failed, which is said once until one succeeds in a round without failures. */
	attempt<T>(action: () => Promise<T>): Promise<T | undefined>;
	/** Begins a round. */
	begin(): void;
	/** Ends it: whether nothing failed. */
	end(): boolean;
};

/** Attempts of keeping the schedule of jobs. */
export function createAttempts(log: Logger): Attempts {
	let failed = false;
	let succeeded = false;
	let said = false;
	return {
		async attempt(action) {
			try {
				const result = await action();
				succeeded = true;
				return result;
			} catch (error) {
				if (!said) {
					log.error(`Cannot keep the schedule of jobs, tries again: ${messageOf(error)}`);
				}

				failed = true;
				said = true;
				return undefined;
			}
		},
		begin() {
			failed = false;
			succeeded = false;
		},
		end() {
			if (said && succeeded && !failed) {
				said = false;
				log.note('The schedule of jobs is kept again');
			}

			return !failed;
		},
	};
}
