import {endOf, type KeyDay} from '../../core/api-keys/api-key.ts';
import {keyActs} from '../../nouns/key/key-acts.ts';
import {keyNoun} from '../../nouns/key/key.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {openKeyForm, showKey} from '../dialogs/key.ts';
import {keyList} from '../entries/key-list.ts';
import {countPart} from '../lines/title-parts.ts';
import {nounCommands} from '../nouns/acts.ts';
import {listingOf, onePane} from '../nouns/listing.ts';
import type {LoadSource} from '../state/source.ts';

const keyDays: LoadSource<readonly KeyDay[]> = {
	load: async (port, key) => port.listKeyDays(key.split(' ')[0] ?? ''),
};

/** The keys of the chat API. */
export const keysPane = onePane({
	id: 'keys',
	title: literal('Keys'),
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
	commands: [
		{...openKeyForm, id: 'keys.add', keys: ['a'], label: literal('make a key'), aliases: []},
		...nounCommands({
			noun: keyNoun,
			acts: keyActs,
			list: keyList,
			showOnce(shell, minted) {
				showKey(shell, minted, true);
			},
		}),
	],
	listing: listingOf({
		noun: keyNoun,
		list: keyList,
		beside: {
			source: keyDays,
			keyOf: ({id, lastUsedAt = 0}) => `${id} ${lastUsedAt}`,
			told: days => ({days}),
		},
	}),
	summary({list, feed}) {
		const {state, now} = feed.get();
		const inForce = (state.keys ?? []).filter(key => endOf(key, now) === undefined).length;
		return [
			countPart(list(keyList), {noun: [literal('key'), literal('keys')]}),
			[{text: safe`${inForce} in force`, tone: 'quiet'}],
		];
	},
});
