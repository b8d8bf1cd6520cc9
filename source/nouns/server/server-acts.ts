import {SvcError} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {Act} from '../act.ts';
import {partsOfKey} from '../noun.ts';
import {serverName, serverWords, type ListedServer} from './server.ts';

type OfProfile = {readonly profile?: string};

/** The gateway operations on tool servers. */
export type ServerPort = {
	connectServer(name: string, of: OfProfile): Promise<ServerView>;
	disconnectServer(name: string, of: OfProfile): Promise<ServerView>;
};

const gone = 'it is not in config.yaml';

/** What can be done with a tool server. */
export const serverActs: ReadonlyArray<Act<ListedServer, ServerPort>> = [
	{
		verb: 'connect',
		key: 'c',
		says: 'connect a tool server now, also one that is parked or lazy',
		why({status}) {
			if (status === 'skipped') {
				return 'It is switched off: set enabled: true in config.yaml';
			}

			return status === 'connected' ? 'It is connected' : undefined;
		},
		starts: server => `${serverName(server)} is being connected`,
		async effect(port, id) {
			const after = await port.connectServer(...partsOfKey(id));
			const {status, reason} = after;
			const said = `${serverName(after)} ${serverWords[status].text}`;
			if (status !== 'connected') {
				throw new SvcError(
					'mcp_connect_failed',
					reason === undefined ? said : `${said}: ${reason}`,
				);
			}

			return {said, json: after};
		},
		gone,
	},
	{
		verb: 'disconnect',
		key: 'x',
		says: 'end the connection to a tool server; its tools stay, and the next call connects',
		why: ({status}) =>
			status === 'connected' || status === 'connecting' ? undefined : 'It is not connected',
		ask: server =>
			server.activeCalls === 0
				? undefined
				: {
						title: `Disconnect ${serverName(server)}`,
						lines: [
							`${countOf(server.activeCalls, 'call is', 'calls are')} under way and would fail; what ${server.activeCalls === 1 ? 'it' : 'they'} did already stays done.`,
							'Its tools stay: the next call connects it again.',
						],
						act: 'disconnect',
					},
		async effect(port, id) {
			const after = await port.disconnectServer(...partsOfKey(id));
			return {
				said: `${serverName(after)} is disconnected; the next call connects it`,
				json: after,
			};
		},
		gone,
	},
];
