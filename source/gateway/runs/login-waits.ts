import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {ServerStatus} from '../../core/tool-server.ts';
import type {World} from '../../core/world.ts';
import type {Runs, ServerKey} from '../../store/port.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import type {WorkDependencies} from './work-run.ts';

/** A release that could not be written, and whatever else was missed, is found so often. */
const lookMs = 30_000;

/** What a run that awaits a login goes on waiting for: a person, and the connection after that. */
const waitedFor: ReadonlySet<ServerStatus | undefined> = new Set(['needs login', 'connecting']);

/**
 * Lets runs that await logins go on as soon as one of their servers stands otherwise: connected, but also failed, switched off or gone. What was awaited when the last process ended is looked
 * at by the runs themselves: they are released at once, and wait on if they must.
 *
 * @see manual/runs.md#waiting-for-a-login
 */
export function createLoginWaits(
	world: Pick<World, 'busy' | 'clock' | 'log'> & {
		readonly runs: Pick<Runs, 'release' | 'awaitedLogins'>;
		readonly servers: Pick<LiveServers, 'views' | 'watch'>;
		readonly announce: WorkDependencies['announce'];
	},
) {
	const {clock, runs, servers, busy, announce, log} = world;
	const releasing = new Set<Promise<void>>();
	let closed = false;

	const release = async (which: ServerKey | 'all') => {
		try {
			const released = await runs.release(which);
			await Promise.all(released.map(async id => announce(id)));
		} catch (error) {
			log.error('Cannot let the runs that wait for a login go on, trying again', {
				server: which === 'all' ? undefined : which.name,
				error: messageOf(error),
			});
		}
	};

	const track = async (which: ServerKey | 'all') => {
		if (closed) {
			return;
		}

		const end = busy.begin();
		const released = release(which).finally(() => {
			releasing.delete(released);
			end();
		});
		releasing.add(released);
		await released;
	};

	/** Releases what waits for one of these without need. A server of a profile that is not open yet is not known: its run opens it. */
	const look = async (awaited: readonly ServerKey[]) => {
		const views = servers.views();
		const statusOf = ({profile, name}: ServerKey) =>
			views.find(view => view.profile === profile && view.name === name)?.status;
		const needless = awaited.filter(server => !waitedFor.has(statusOf(server)));
		await Promise.all(needless.map(track));
	};

	const unwatch = servers.watch((server, status) => {
		if (!waitedFor.has(status)) {
			void track(server);
		}
	});
	const stopLooking = every(clock, lookMs, async () => {
		try {
			await look((await runs.awaitedLogins()).servers);
		} catch (error) {
			log.warn(`Cannot look which logins are awaited: ${messageOf(error)}`);
		}
	});
	void track('all');

	return {
		async awaitsLogins(profile: string, names: readonly string[]) {
			await look(names.map(name => ({profile, name})));
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			unwatch();
			stopLooking();
			await Promise.all(releasing);
		},
	};
}
