import type {Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {jobKey} from '../../../nouns/job/job.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {goToApprovals, goToDelivery, goToGroup, goToJob} from '../../acts/go-to.ts';
import type {Shell} from '../../shell/shell.ts';

/** Where a run came from, and what it asked for; `selected` is the run that keys act on. */
export function originCommands(
	selected: (shell: Shell) => Run | undefined,
): readonly PaneCommand[] {
	const why =
		(isPossible: (run: Run) => boolean, reason: Safe) =>
		(shell: Shell): Safe | undefined => {
			const run = selected(shell);
			return run ? (isPossible(run) ? undefined : reason) : literal('No run is selected');
		};

	return [
		{
			id: 'runs.delivery',
			keys: ['o'],
			label: literal('its delivery'),
			why: why(run => run.delivery !== undefined, literal('A schedule or a person started it')),
			run(shell) {
				const {delivery} = selected(shell) ?? {};
				if (delivery !== undefined) {
					goToDelivery(shell, delivery);
				}
			},
		},
		{
			id: 'runs.origin',
			keys: ['b'],
			label: literal('back to its group or job'),
			quiet: true,
			why: why(
				({group, job}) => group !== undefined || job !== undefined,
				literal('It came of one event, not of a group or a job'),
			),
			run(shell) {
				const {group, job, profile} = selected(shell) ?? {};
				if (group !== undefined) {
					goToGroup(shell, group);
				} else if (job && profile !== undefined) {
					goToJob(shell, jobKey({profile, id: job.id}));
				}
			},
		},
		{
			id: 'runs.approvals',
			keys: ['A'],
			label: literal('its approvals'),
			quiet: true,
			why: why(() => true, literal('')),
			run(shell) {
				const run = selected(shell);
				if (run) {
					goToApprovals(shell, run.id);
				}
			},
		},
	];
}
