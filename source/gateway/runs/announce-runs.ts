import {createTimer, every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {endsAnswer, lastOfSaid} from '../../core/reduce-runs.ts';
import {hasEnded, type TranscriptEntry} from '../../core/run.ts';
import type {ServerStatus} from '../../core/tool-server.ts';
import {escapeBlock} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {JobKey} from '../../store/job-port.ts';
import type {Runs, ServerKey} from '../../store/port.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import type {WorkDependencies} from './work-run.ts';

/** Announces changes of runs. Never rejects: a run goes on without its announcement. */
export type RunAnnouncer = ReturnType<typeof createRunAnnouncer>;

/** Joins whatever happens to runs with those who want to know. */
export function createRunAnnouncer(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly runs: Pick<Runs, 'view'>;
		/** Looks for due runs; must not throw. */
		readonly wake: () => void;
		/** A run of the job waits or has ended; must not throw. */
		readonly onJobRun: (job: JobKey) => void;
	},
) {
	const {runs, clock, emit, log, wake, onJobRun} = world;
	const changed = async (runId: number) => {
		try {
			const run = await runs.view(runId);
			if (!run) {
				return;
			}

			emit({type: 'run-changed', at: clock.now(), run});
			if (run.job && (run.state === 'queued' || hasEnded(run.state))) {
				onJobRun({profile: run.profile, id: run.job.id});
			}
		} catch (error) {
			log.warn('Cannot read the run from the journal', {run: runId, error: messageOf(error)});
		}
	};

	return {
		/** The run stands elsewhere than before: tells the faces, and the schedule when that changes what is open of a job. */
		changed,
		/** The run is on disk and waits: the same, and it starts when there is a place. */
		async queued(runId: number) {
			wake();
			await changed(runId);
		},
	};
}

/** Logs a failure once while it repeats for the same reason: work that is tried every second must not fill the log while the store is away. */
export function createFailureReport(log: Logger, level: 'error' | 'warn' = 'error') {
	let said = '';
	return Object.assign(
		(what: string, error: unknown) => {
			const text = messageOf(error);
			if (said !== `${what} ${text}`) {
				said = `${what} ${text}`;
				log[level](what, {error: text});
			}
		},
		{
			/** It has succeeded. */
			over() {
				said = '';
			},
		},
	);
}

/** Debounce of what a model says, milliseconds: ten updates a second are enough to read. */
const pauseMs = 100;

/** Reports the words of a run as events: the first at once, those that follow within 100 ms together. Of many words only the end is kept. */
export function createRunWords({clock, emit}: Pick<World, 'clock' | 'emit'>, runId: number) {
	/** How long the answer is without what waits, as it was told. */
	let length = 0;
	let waiting = '';
	const pause = createTimer(clock);

	const tell = () => {
		if (waiting === '') {
			return;
		}

		const {at, from, text: said} = lastOfSaid({at: clock.now(), from: length, text: waiting});
		const text = escapeBlock(said);
		length = from + text.length;
		waiting = '';
		emit({type: 'run-said', at, runId, from, text});
		pause.set(pauseMs, tell);
	};

	const begin = () => {
		length = 0;
		waiting = '';
	};

	return {
		/** For `AgentRequest.onText`. */
		say(text: string, begins: boolean) {
			if (begins) {
				begin();
			}

			waiting += text;
			if (pause.isFree()) {
				tell();
			}
		},
		/** An entry of the transcript that is told next: one that has the answer whole takes the place of its words. */
		told(entry: Pick<TranscriptEntry, 'kind'>) {
			if (endsAnswer(entry)) {
				begin();
			}
		},
		[Symbol.dispose]() {
			pause[Symbol.dispose]();
			begin();
		},
	};
}

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
