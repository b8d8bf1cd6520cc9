import {limits} from '../../../core/state.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {goToDelivery} from '../../commands/go-to.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import {countPart, followPart} from '../../shell/title-parts.ts';
import {restMs, type DetailSource} from '../detail.ts';
import {clean, type Line} from '../line.ts';
import {newest, recent} from '../newest.ts';
import type {Destination, Pane} from '../pane.ts';
import {createMemory} from '../remember.ts';
import {runOf} from '../runs/run-of.ts';
import {deliveryList} from './delivery-list.ts';
import {noTraffic} from './no-traffic.ts';
import {resultWord, shownId} from './result-word.ts';
import {storedDeliveries} from './selected-delivery.ts';
import {TrafficBody} from './traffic-body.tsx';
import {trafficCommands} from './traffic-commands.ts';
import {trafficDetail} from './traffic-detail.ts';

function createTrafficDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const deliveries = list(deliveryList);
	const loads = loader(storedDeliveries);
	return {
		lines(width) {
			const row = deliveries.selected();
			const {runId, group: groupId} = row?.delivery ?? {};
			const loaded = loads.get();
			const {runs, groups} = feed.get().state;
			const run = runOf(runs, runId);
			const group = groups.find(other => other.id === groupId);
			return remember([row, loaded, run, group, width], () =>
				row ? trafficDetail(row, {loaded, run, group}, width) : [],
			);
		},
		want(isShown) {
			const row = isShown ? deliveries.selected() : undefined;
			loads.want(row?.delivery.id ?? '', restMs(deliveries));
		},
	};
}

const destinations = (shell: Shell): readonly Destination[] =>
	newest(shell.feed.get().state.deliveries, recent).map(({delivery}) => ({
		label: safe`go to delivery ${shownId(delivery)} ${clean(delivery.route)} ${clean(resultWord(delivery))}`,
		place: literal('Traffic'),
		go() {
			goToDelivery(shell, delivery.id);
		},
	}));

/** What came in over HTTP, and what became of it. */
export const trafficPane: Pane = {
	id: 'traffic',
	title: literal('Traffic'),
	short: literal('Traf'),
	manual: 'receiver',
	count: undefined,
	empty: noTraffic,
	Body: TrafficBody,
	isWide: false,
	sections: [
		{
			id: 'traffic',
			title: literal('Traffic'),
			commands: trafficCommands,
			listing: {
				list: deliveryList,
				words: literal('route: status: event: subject: id: ms> size> since: has:flags'),
				isLive: true,
				detail: createTrafficDetail,
				hasCursor: true,
			},
		},
	],
	summary({list}) {
		const deliveries = list(deliveryList);
		return [countPart(deliveries, {limit: limits.deliveries}), followPart(deliveries)];
	},
	destinations,
};
