import type {DeliveryRow} from '../../../core/state.ts';
import {answerWord} from '../../../nouns/delivery/delivery-word.ts';
import {deliveryNoun} from '../../../nouns/delivery/delivery.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {StillHere} from '../../acts/place.ts';
import {deliveryList} from '../../entries/delivery-list.ts';
import {createMarks, markedOf} from '../../lines/marks.ts';
import {askForAll, actOnAll, sayOutcome} from '../../nouns/marked.ts';
import type {Shell} from '../../shell/shell.ts';

/** The deliveries that are marked. */
export const deliveryMarks = createMarks<DeliveryRow>();

/** Asks once for all marked deliveries, with what it starts where, then replays one after the other, the oldest first. */
export async function replayMarked(shell: Shell, isStillHere: StillHere): Promise<void> {
	// Also what was paged to, and what the filter keeps out.
	const {items, gone} = markedOf(
		shell.local(deliveryMarks).get(),
		[...shell.list(deliveryList).get().items, ...shell.feed.get().state.deliveries],
		deliveryNoun.id,
	);
	const planned: Array<DeliveryRow & {readonly effects: string}> = [];
	const {problems} = await actOnAll(items, async row => {
		const {route, effects} = await shell.port.planReplay(row.delivery.id, {});
		const words = effects.join(', ') || 'nothing but the log changes';
		planned.push({...row, effects: `${route}: ${words}`});
		return undefined;
	});
	const [problem] = problems;
	if (planned.length === 0) {
		sayOutcome(shell, literal('replayed'), {done: 0, problems});
	} else if (isStillHere(literal('Replay was not asked'))) {
		const lines = [
			...[...Map.groupBy(planned, ({effects}) => effects)].map(
				([effects, rows]) => `${rows.length}× ${effects}`,
			),
			...(problem === undefined
				? []
				: [`${problems.length} of the marked cannot be replayed: ${problem}`]),
		];
		askForAll(
			shell,
			{
				noun: deliveryNoun,
				marks: deliveryMarks,
				verb: 'replay',
				done: 'replayed',
				items: planned,
				lines,
				gone,
			},
			async ({delivery: {id}}) => {
				const {status, body} = await shell.port.replay(id, {});
				return status < 400 ? undefined : `${status} ${answerWord({body})}`;
			},
		);
	}
}
