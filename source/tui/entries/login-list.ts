import {createMemory} from '../../core/derive.ts';
import {stopAll} from '../../core/stops.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {atFirst} from '../list/window.ts';
import type {Host} from '../shell/shell.ts';
import {createList, type List} from '../state/list.ts';
import {rowsBelow, type ListSource} from '../state/source.ts';
import {notedRows} from './login-columns.ts';
import {loginEntries, loginKey, loginVocabulary, type LoginEntry} from './login-entry.ts';

/** Every entry as it is now, whatever the filter; the same array while nothing changed. */
export function rememberEntries({
	feed,
	logins,
}: Pick<Host, 'feed' | 'logins'>): (servers?: readonly ServerView[]) => readonly LoginEntry[] {
	const remember = createMemory<readonly LoginEntry[]>();
	return (servers = feed.get().state.servers) => {
		const attempts = logins.attempts();
		return remember([servers, attempts], () => loginEntries(servers, attempts));
	};
}

/** The tool servers of all profiles that have a login; what is done here is known at once. */
export const loginList: ListSource<List<LoginEntry>> = {
	id: 'logins',
	open(host, filter) {
		const {feed, logins} = host;
		const rows = rowsBelow(host, 1);
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
				height: () => Math.max(0, rows() - notedRows(entries(), rows())),
				position: atFirst,
				filter,
			},
		);
	},
};
