import {messageOf} from '../../core/errors.ts';
import {safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {closeSheet} from './sheet.ts';

/** Denies everything that waits, one after the other. */
export function denyAll(shell: Shell): void {
	const {approvals} = shell.port.getState();
	closeSheet(shell);
	shell.guard.gone();
	shell.attempt(async () => {
		// One that cannot be settled must not hide how many were.
		const results = await Promise.allSettled(
			approvals.map(async ({id}) =>
				shell.port.settleApproval(id, {answer: {choice: 'deny'}, by: shell.by}),
			),
		);
		const failed = results.filter(result => result.status === 'rejected');
		const answered = results.filter(result => result.status === 'fulfilled');
		const denied = answered.filter(({value}) => value.settled).length;
		const [first] = failed;
		if (first) {
			shell.toast(
				safe`${denied} denied, ${failed.length} could not be: ${clean(messageOf(first.reason))}`,
				'bad',
			);
		} else {
			shell.toast(safe`${denied} denied`, 'warn');
		}
	});
}
