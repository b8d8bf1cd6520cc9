import {forged, hostile} from './day.ts';
import * as github from './github.ts';
import {alert, lead, mergeRequest, payment} from './others.ts';
import type {Sending} from './sending.ts';

/** A few events that belong together. */
export type Scene = {
	readonly sends: readonly Sending[];
	/** Its run asks a person. */
	readonly asks?: boolean;
};

const {comment, deployment, issue, pullRequest, push, release, star, workflow} = github;

const times = (count: number, sending: Sending): readonly Sending[] =>
	Array.from({length: count}, () => sending);

const titles = [
	'Uploads stop at 100 MB',
	'Progress bar jumps back',
	'Pause and resume uploads',
	'Retry forever',
] as const;

/** What happens in round `round`, from 0 on; numbers go on from round to round. */
const scenesOf = (round: number): readonly Scene[] => {
	const number = 415 + round * 2;
	const title = titles[round % titles.length] ?? '';
	const twice: Sending = {...payment(`evt_2Qb${round}`), sender: 'stripe'};
	return [
		{sends: [pullRequest(number, 'Upload in parallel', {by: 'jonas'})]},
		{sends: [lead('Mara Voss', 'Harbour Books')]},
		{
			sends: times(
				3,
				pullRequest(number, 'Upload in parallel', {action: 'synchronize', route: 'gh-sync'}),
			),
		},
		{
			sends: [
				comment(
					94 + round,
					round % 2 === 0
						? 'The pause between the retries has no bound'
						: 'After a restart an upload begins anew',
				),
			],
			asks: true,
		},
		{sends: [issue(97 + round, title)]},
		{sends: [...times(3, workflow('main')), workflow('uploads', 'success')]},
		{sends: [forged]},
		{sends: [alert('db-3', 'warning', `disk ${91 + (round % 8)} %`)]},
		{sends: [twice, twice]},
		{sends: [push('docs', 'Say how we release', 'gh-docs')], asks: true},
		{sends: times(5, alert('web-1', 'critical', 'latency 2100 ms'))},
		{sends: [mergeRequest(60 + round, 'Close what was opened')]},
		{sends: [hostile], asks: true},
		{sends: [deployment(round % 3 === 2 ? 'failure' : 'success')]},
		{sends: [release(`v2.5.${round}`)]},
		{
			sends: times(
				2,
				pullRequest(number + 1, 'Cap the pause', {action: 'synchronize', route: 'gh-sync'}),
			),
		},
		{sends: [comment(98 + round, 'The sandbox project can go now')], asks: true},
		{sends: [star(), push('main', `Merge #${number - 1}`)]},
		{sends: [github.nightly()]},
	];
};

/** The traffic of the demo after its recorded day: without an end. */
export function* scenes(): Generator<Scene, never> {
	for (let round = 0; ; round++) {
		yield* scenesOf(round);
	}
}
