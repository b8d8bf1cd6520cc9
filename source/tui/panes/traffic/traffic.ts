import {createMemory} from '../../../core/derive.ts';
import {deliveryVocabulary} from '../../../core/filter/delivery-vocabulary.ts';
import {limits} from '../../../core/state.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {noteRow} from '../../acts/steady-row.ts';
import {deliveryList} from '../../entries/delivery-list.ts';
import {runOf} from '../../entries/run-of.ts';
import {storedDeliveries} from '../../entries/selected-delivery.ts';
import {paceOf, type DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import {newest, recent} from '../../lines/newest.ts';
import {countPart, followPart, searchedPart} from '../../lines/title-parts.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Destination, Pane} from '../pane.ts';
import {deliveryMarks} from './bulk-replay.ts';
import {deliveryPlace, findDelivery} from './find-delivery.ts';
import {noTraffic} from './no-traffic.ts';
import {trafficCommands} from './traffic-commands.ts';
import {trafficDetail} from './traffic-detail.ts';
import {createWorkWords} from './work-word.ts';

function createTrafficDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const workOf = createWorkWords();
	const deliveries = list(deliveryList);
	const loads = loader(storedDeliveries);

	/** What is selected; while the list follows, the one before it until the payload of the newest is there: a detail that moves on by itself says what it has, not that it loads. */
	const shownNow = () => {
		const row = deliveries.selected();
		const loaded = loads.get();
		const last = loads.last();
		const before =
			deliveries.get().isFollowing && loaded.status === 'loading' && last
				? feed.get().state.deliveries.findLast(({delivery}) => delivery.id === last.key)
				: undefined;
		return before && last ? {row: before, loaded: last} : {row, loaded};
	};

	return {
		lines(width) {
			const {row, loaded} = shownNow();
			const {runId, group: groupId} = row?.delivery ?? {};
			const {state} = feed.get();
			const run = runOf(state.runs, runId);
			const group = state.groups.find(other => other.id === groupId);
			const work = row && workOf(row.delivery, state);
			return remember([row, loaded, run, work, group, width], () =>
				row ? trafficDetail(row, {loaded, run, work, group}, width) : [],
			);
		},
		want(isShown) {
			const row = isShown ? deliveries.selected() : undefined;
			loads.want(row?.delivery.id ?? '', paceOf(deliveries, row?.delivery.bodyBytes));
		},
	};
}

const destinations = (shell: Shell): readonly Destination[] =>
	newest(shell.feed.get().state.deliveries, recent).map(({delivery}) =>
		deliveryPlace(shell, delivery),
	);

/** What came in over HTTP, and what became of it. */
export const trafficPane: Pane = {
	id: 'traffic',
	title: literal('Traffic'),
	short: literal('Traf'),
	manual: 'receiver',
	count: undefined,
	empty: noTraffic,
	isWide: false,
	sections: [
		{
			id: 'traffic',
			title: literal('Traffic'),
			commands: trafficCommands,
			listing: {
				list: deliveryList,
				vocabulary: deliveryVocabulary,
				isLive: true,
				marks: deliveryMarks,
				detail: createTrafficDetail,
				hasCursor: true,
			},
		},
	],
	summary({list}) {
		const deliveries = list(deliveryList);
		return [
			countPart(deliveries, {limit: limits.deliveries}),
			searchedPart(deliveries),
			followPart(deliveries),
		];
	},
	want(host) {
		// What is not seen is no row that somebody could have chosen.
		if (host.pane().id === deliveryList.id) {
			noteRow(host, host.list(deliveryList));
		}
	},
	destinations,
	find: findDelivery,
};
