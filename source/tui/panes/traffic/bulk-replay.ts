import type {DeliveryRow} from '../../../core/state.ts';
import type {ReplayPlan} from '../../../gateway/port.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {change} from '../../acts/navigate.ts';
import {placeNow} from '../../acts/place.ts';
import {answerWord} from '../../entries/answer-word.ts';
import {deliveryList} from '../../entries/delivery-list.ts';
import {clean} from '../../lines/line.ts';
import {
	actOnAll,
	clearMarks,
	createMarks,
	markCommands,
	markedOf,
	sayOutcome,
} from '../../lines/marks.ts';
import type {Shell} from '../../shell/shell.ts';

/** The deliveries that are marked. */
export const deliveryMarks = createMarks();

const keyOf = ({key}: DeliveryRow): string => key;

export const deliveryMarkCommands = markCommands('traffic', deliveryMarks, {
	source: deliveryList,
	keyOf,
});

export const hasMarkedDeliveries = ({local}: Pick<Shell, 'local'>): boolean =>
	local(deliveryMarks).get().size > 0;

type Planned = {readonly id: string; readonly plan: ReplayPlan};

/** Asks once for all marked deliveries, with what it starts where, then replays one after the other, the oldest first. */
export function replayMarked(shell: Shell): void {
	// Also what was paged to, and what the filter keeps out.
	const {items, gone} = markedOf(
		shell.local(deliveryMarks).get(),
		[...shell.list(deliveryList).get().items, ...shell.feed.get().state.deliveries],
		keyOf,
	);
	const isStillHere = placeNow(shell, literal('r'));
	shell.attempt(async () => {
		const planned: Planned[] = [];
		const {problems} = await actOnAll(items, async ({delivery: {id}}) => {
			planned.push({id, plan: await shell.port.planReplay(id, {})});
			return undefined;
		});
		if (planned.length === 0) {
			sayOutcome(shell, literal('replayed'), {done: 0, problems});
		} else if (isStillHere(literal('Replay was not asked'))) {
			ask(shell, planned, {problems, gone});
		}
	});
}

function ask(
	shell: Shell,
	planned: readonly Planned[],
	{problems, gone}: {readonly problems: readonly string[]; readonly gone: number},
): void {
	const count = planned.length;
	const [problem] = problems;
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`Replay ${count} marked ${count === 1 ? literal('delivery') : literal('deliveries')}`,
			lines: [
				...effectsOf(planned).map(([effect, times]) => safe`${times}× ${clean(effect)}`),
				...(problem === undefined
					? []
					: [safe`${problems.length} of the marked cannot be replayed: ${clean(problem)}`]),
				...(gone > 0 ? [safe`${gone} of the marked are no longer in the list.`] : []),
			],
			act: safe`replay all ${count}`,
			run() {
				clearMarks(shell, deliveryMarks);
				shell.attempt(async () => {
					const outcome = await actOnAll(planned, async ({id}) => {
						const {status, body} = await shell.port.replay(id, {});
						return status < 400 ? undefined : `${status} ${answerWord({body})}`;
					});
					sayOutcome(shell, literal('replayed'), outcome);
				});
			},
		},
	});
}

/** What is done how often: `gh-review: starts an agent run`. */
function effectsOf(planned: readonly Planned[]): ReadonlyArray<readonly [string, number]> {
	const count = new Map<string, number>();
	for (const {plan} of planned) {
		const effects = plan.effects.join(', ') || 'nothing but the log changes';
		const text = `${plan.route}: ${effects}`;
		count.set(text, (count.get(text) ?? 0) + 1);
	}

	return [...count];
}
