import {endOf, type KeyDay} from '../../core/api-key.ts';
import {derive} from '../../core/derive.ts';
import {grouped} from '../../core/names.ts';
import type {RunSums} from '../../core/run-sums.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {keyActs} from '../../nouns/key/key-acts.ts';
import {keyNoun, type KeyMore} from '../../nouns/key/key.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {openKeyForm, showKey} from '../dialogs/key.ts';
import {keyList} from '../entries/lists.ts';
import {blankLine, line, type Line} from '../lines/line.ts';
import {countPart} from '../lines/title-parts.ts';
import {nounCommands} from '../nouns/acts.ts';
import {listingOf, onePane} from '../nouns/listing.ts';
import type {LoadSource} from '../state/source.ts';

const keyDays: LoadSource<readonly KeyDay[]> = {
	load: async (port, key) => port.listKeyDays(key.split(' ')[0] ?? ''),
};

/** The totals of all keys' runs, from the journal. */
const keySums: LoadSource<RunSums> = {load: async port => port.sumRuns({by: 'key'})};

/** The totals are reloaded after this time. */
const minuteMs = 60_000;

const noSums: KeyMore = {};
const knownOf = derive((sums: RunSums): KeyMore => ({sums}));

const mostBar = 30;

/** A key's usage by day, newest first, with a bar if it fits. */
function dayRows(days: readonly KeyDay[], width: number): readonly Line[] {
	const told = days
		.toReversed()
		.map(({day, requests, inputTokens: taken, outputTokens: given}) => ({
			day: escapeLine(day),
			tokens: taken + given,
			text: escapeLine(`${grouped(requests)} req  ${grouped(taken)} in  ${grouped(given)} out`),
		}));
	const cells = Math.max(0, ...told.map(({text}) => widthOf(text)));
	const room = Math.max(0, Math.min(mostBar, width - cells - keyNoun.factCells - 6));
	const most = Math.max(1, ...told.map(({tokens}) => tokens));
	return [
		blankLine,
		line(literal('Used by day, UTC'), 'title'),
		...(told.length === 0 ? [line(literal('  nothing in the last 40 days'), 'quiet')] : []),
		...told.map(({day, text, tokens}): Line => [
			{text: safe`  ${day}  `, tone: 'quiet'},
			{text: fit(text, cells)},
			{text: escapeLine(`  ${'█'.repeat(Math.ceil((tokens / most) * room))}`), tone: 'accent'},
		]),
	];
}

/** The keys of the chat API. */
export const keysPane = onePane({
	id: 'keys',
	title: literal('Keys'),
	manual: 'api-keys',
	empty: ({api, keys}) =>
		keys
			? [
					'No keys: the chat API answers everybody 401.',
					'a makes one, and shows it once; so does `svc keys create`.',
					...(api?.state === 'listening'
						? []
						: ['The chat API does not listen now: see api in config.yaml.']),
				]
			: [
					'This gateway does not tell of its keys: it is of an older version.',
					'`svc keys list` asks it.',
				],
	isWide: true,
	commands: [
		{...openKeyForm, id: 'keys.add', keys: ['a'], label: literal('make a key'), aliases: []},
		...nounCommands({
			noun: keyNoun,
			acts: keyActs,
			list: keyList,
			showOnce: (shell, minted) => showKey(shell, minted, true),
		}),
	],
	listing: listingOf({
		noun: keyNoun,
		list: keyList,
		known(host) {
			const loaded = host.loader(keySums).last();
			return loaded ? knownOf(loaded.value) : noSums;
		},
		beside: {
			source: keyDays,
			keyOf: ({id, lastUsedAt = 0}) => `${id} ${lastUsedAt}`,
			rows: dayRows,
		},
	}),
	want({feed, layout, list, loader, section}) {
		const isLooked =
			section().id === keyList.id && layout().showsDetail && list(keyList).selected() !== undefined;
		loader(keySums).want(isLooked ? String(Math.floor(feed.get().now / minuteMs)) : '');
	},
	summary({list, feed}) {
		const {state, now} = feed.get();
		const inForce = (state.keys ?? []).filter(key => endOf(key, now) === undefined).length;
		return [
			countPart(list(keyList), {noun: [literal('key'), literal('keys')]}),
			[{text: safe`${inForce} in force`, tone: 'quiet'}],
		];
	},
});
