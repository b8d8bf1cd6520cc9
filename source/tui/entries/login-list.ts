import {stopAll} from '../../core/clock.ts';
import {createMemory} from '../../core/derive.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {
	loginEntries,
	loginKey,
	loginVocabulary,
	type LoginEntry,
} from '../../nouns/login/login-entry.ts';
import {loginNoun} from '../../nouns/login/login.ts';
import {atFirst} from '../list/window.ts';
import type {Host} from '../shell/shell.ts';
import {createList, type List} from '../state/list.ts';
import {rowsWithNotes, type ListSource} from '../state/source.ts';

/** All entries, unfiltered; the same array while nothing changed. */
export function rememberEntries({
	feed,
	logins,
}: Host): (servers?: readonly ServerView[]) => readonly LoginEntry[] {
	const remember = createMemory<readonly LoginEntry[]>();
	return (servers = feed.get().state.servers) => {
		const attempts = logins.attempts();
		return remember([servers, attempts], () => loginEntries(servers, attempts));
	};
}

/** The tool servers with a login, of all profiles. Changes made here show at once. */
export const loginList: ListSource<List<LoginEntry>> = {
	id: 'logins',
	open(host, filter) {
		const {feed, logins} = host;
		const entries = rememberEntries(host);
		return createList(
			{
				...feed,
				subscribe: listener => stopAll([feed.subscribe(listener), logins.subscribe(listener)]),
			},
			{
				keyOf: loginKey,
				vocabulary: loginVocabulary,
				read: ({servers}) => entries(servers),
				height: rowsWithNotes(host, loginNoun, entries),
				position: atFirst,
				filter,
			},
		);
	},
};
