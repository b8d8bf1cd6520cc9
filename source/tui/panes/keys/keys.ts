import type {ApiKey, KeyDay} from '../../../core/api-keys/api-key.ts';
import {createMemory} from '../../../core/derive.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {keyList} from '../../entries/key-list.ts';
import {keysInForce, keyVocabulary} from '../../entries/key-order.ts';
import {paceOf, type DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import {readingOf, readWidth} from '../../lines/reading.ts';
import {countPart} from '../../lines/title-parts.ts';
import type {Host} from '../../shell/shell.ts';
import type {LoadSource} from '../../state/source.ts';
import type {Pane} from '../pane.ts';
import {keyColumns, keyHeader, keyRow} from './key-columns.ts';
import {keyPaneCommands} from './key-commands.ts';
import {keyDetail} from './key-detail.ts';

/** The key is `id time`, of its last use: one that is used again is loaded again. */
const keyDays: LoadSource<readonly KeyDay[]> = {
	load: async (port, key) => port.listKeyDays(key.split(' ')[0] ?? ''),
};

function createKeyDetail({list, loader, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const keys = list(keyList);
	const loads = loader(keyDays);
	/** What was loaded of the same key stays until the next is there. */
	const daysOf = (key: ApiKey | undefined) => {
		const [now, last] = [loads.get(), loads.last()];
		return now.status === 'loading' && last && key && last.key.startsWith(`${key.id} `)
			? last
			: now;
	};

	return {
		lines(width) {
			const key = keys.selected();
			const {now} = feed.get();
			const days = daysOf(key);
			return remember([key, days, Math.floor(now / 1000), width], () =>
				key ? keyDetail(key, {days, now, width}) : [],
			);
		},
		want(isShown) {
			const key = isShown ? keys.selected() : undefined;
			loads.want(key ? `${key.id} ${key.lastUsedAt ?? 0}` : '', paceOf(keys));
		},
	};
}

const columns = keyColumns(readWidth);

const reading = readingOf(keyList, {
	header: keyHeader(columns),
	keyOf: key => key.id,
	rowsOf({feed}) {
		const {now} = feed.get();
		return {row: key => keyRow(key, {columns, now}, false)};
	},
});

/** The keys of the chat API. */
export const keysPane: Pane = {
	id: 'keys',
	title: literal('Keys'),
	short: literal('Keys'),
	manual: 'api-keys',
	count: undefined,
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
	sections: [
		{
			id: 'keys',
			title: literal('Keys'),
			commands: keyPaneCommands,
			listing: {
				list: keyList,
				vocabulary: keyVocabulary,
				reading,
				isLive: false,
				detail: createKeyDetail,
				hasCursor: false,
			},
		},
	],
	summary({list, feed}) {
		const {state, now} = feed.get();
		const inForce = keysInForce(state.keys, now);
		return [
			countPart(list(keyList), {noun: [literal('key'), literal('keys')]}),
			[{text: safe`${inForce} in force`, tone: 'quiet'}],
		];
	},
};
