import type {Logger} from '../../core/log.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';

/** Writes into the log where tool servers stand, once each time that it is news. */
export type ServerLog = {
	changed(view: ServerView): void;
	removed(server: Pick<ServerView, 'profile' | 'name'>): void;
};

type Saying = {readonly level: 'info' | 'warn'; readonly text: (reason: string) => string};

/** What is on its way, or was switched off by the file, is not worth a line. */
const sayings: {readonly [Status in ServerStatus]?: Saying} = {
	lazy: {level: 'info', text: () => 'connects at the first call'},
	connected: {level: 'info', text: () => 'is connected'},
	'needs login': {level: 'warn', text: reason => `needs a login${reason}`},
	failed: {level: 'warn', text: reason => `cannot be connected to${reason}`},
	parked: {level: 'warn', text: reason => `is given up for now${reason}`},
	recycled: {level: 'info', text: reason => `was disconnected${reason}`},
};

/** A server that fails again for the same reason is not said again before it has been connected. */
export function createServerLog(log: Logger): ServerLog {
	const said = new Map<string, {readonly text: string; readonly level: Saying['level']}>();
	return {
		changed({profile, name, status, reason, tools, protocol}) {
			const saying = sayings[status];
			if (!saying) {
				return;
			}

			const key = keyOf({profile, name});
			const subject = `Tool server "${name}"`;
			// Some reasons are sentences about it already.
			const text = reason?.startsWith(`${subject} `)
				? reason
				: `${subject} ${saying.text(reason === undefined ? '' : `: ${reason}`)}`;
			const last = said.get(key);
			if (last?.text === text) {
				return;
			}

			const {level} = saying;
			said.set(key, {text, level});
			// A login that was asked for, or a failure that is over.
			log[status === 'connected' && last?.level === 'warn' ? 'note' : level](text, {
				...(profile !== 'default' && {profile}),
				...(status === 'connected' && {tools: tools.length, protocol}),
			});
		},
		removed(server) {
			said.delete(keyOf(server));
			const {profile, name} = server;
			log.info(`Tool server "${name}" is gone`, {...(profile !== 'default' && {profile})});
		},
	};
}

const keyOf = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	`${profile} ${name}`;
