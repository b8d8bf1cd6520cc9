import type {ServerView} from '../../../core/tool-server.ts';
import {serverKey, serverNoun} from '../../../nouns/server/server.ts';
import {atFirst} from '../../list/window.ts';
import {createList, type List} from '../../state/list.ts';
import {rowsWithNotes, type ListSource} from '../../state/source.ts';

/** The tool servers of all profiles. */
export const serverList: ListSource<List<ServerView>> = {
	id: 'tools',
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: serverKey,
			vocabulary: serverNoun.vocabulary,
			read: state => state.servers,
			height: rowsWithNotes(host, serverNoun, () => host.feed.get().state.servers),
			position: atFirst,
			filter,
		}),
};
