import type {Route} from '../../config/route.ts';
import {keepLast} from '../../core/bounds.ts';
import {messageOf} from '../../core/errors.ts';
import {originOf} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import type {RoomWorld} from '../rooms.ts';

/** How often a route may answer one subject within the window; 0 for no limit. */
type LoopLimit = Pick<Route, 'loopLimit' | 'loopWindowMs'>;

/** A run, or a delivered message without a run: something that may be one of many answers. */
export type PossibleAnswer = Pick<StoredRun, 'profile' | 'route'> &
	Pick<Partial<StoredRun>, 'delivery' | 'job' | 'chat' | 'conversation'> & {
		/** The identifier of the run or the delivery. */
		readonly id: number | string;
		readonly plan: Pick<StoredRun['plan'], 'subject'>;
	};

export type LoopBreaker = Awaited<ReturnType<typeof openLoopBreaker>>;

/** Kind of the memos in the store. */
const memoKind = 'loop';

/** Maximum number of subjects counted; the one answered longest ago is dropped first. */
const maxSubjects = 10_000;

type Answer = {readonly id: PossibleAnswer['id']; readonly at: number};

/**
 * Stops a route that answers the same pull request or issue again and again: after `loopLimit` answers within the window, its runs for that subject wait for a person, also
 * after a restart. Events are still accepted. The counts start at zero with the process; gateways on one store share them by notes.
 *
 * @see manual/runs.md#loops
 */
export async function openLoopBreaker(world: RoomWorld) {
	const {
		clock,
		store: {memos, events, owner},
		cluster,
		log,
		live,
	} = world;
	/** `undefined` for a removed route whose last runs are ending. */
	const limitOf = (route: string): LoopLimit | undefined => live.routes().routes.get(route);
	const readHeld = async () =>
		(await memos.list(memoKind)).map(
			({name, value}) => [name, typeof value === 'string' ? value : 'Held'] as const,
		);
	const held = new Map(await cluster.read(readHeld));
	const answers = new Map<string, readonly Answer[]>();

	const count = (key: string, id: PossibleAnswer['id'], {loopWindowMs, loopLimit}: LoopLimit) => {
		const now = clock.monotonic();
		const known = (answers.get(key) ?? []).filter(({at}) => at > now - loopWindowMs);
		const all = known.some(answer => answer.id === id) ? known : [...known, {id, at: now}];
		keepLast(answers, [key, all.slice(-loopLimit)], maxSubjects);
		return all.length;
	};

	const kept = async (writing: Promise<unknown>) =>
		writing.catch((error: unknown) => {
			log.warn(`Cannot keep that until after a restart: ${messageOf(error)}`);
		});

	const tell = (
		subject: string,
		what: {readonly answer?: number | string; readonly held?: string},
	) => {
		if (cluster.isShared) {
			events.publish({kind: 'loop', from: owner, subject, ...what});
		}
	};

	cluster.onNote(note => {
		if (note.kind !== 'loop' || note.from === owner) {
			return;
		}

		const {subject, answer, held: reason} = note;
		if (answer !== undefined) {
			const limit = limitOf(routeOfKey(subject));
			void (limit?.loopLimit && count(subject, answer, limit));
		} else if (reason === undefined) {
			held.delete(subject);
			answers.delete(subject);
		} else {
			held.set(subject, reason);
		}
	});
	cluster.onMissed(() => {
		void readHeld().then(
			all => {
				held.clear();
				for (const [subject, reason] of all) {
					held.set(subject, reason);
				}

				return undefined;
			},
			() => {},
		);
	});

	return {
		/** Why the run has to wait for a person; `undefined` when it may go on. */
		heldBy(run: PossibleAnswer): string | undefined {
			const key = keyOf(run);
			const isLimited = limitOf(run.route)?.loopLimit !== 0;
			return key === undefined || !isLimited ? undefined : held.get(key);
		},
		/** The run has answered people, or one of its tools may have changed something. Counts each run once; never rejects. */
		async answered(run: PossibleAnswer) {
			const key = keyOf(run);
			const limit = limitOf(run.route);
			if (key === undefined || !limit?.loopLimit || held.has(key)) {
				return;
			}

			tell(key, {answer: run.id});
			if (count(key, run.id, limit) < limit.loopLimit) {
				return;
			}

			const {loopLimit, loopWindowMs} = limit;
			const finding = `has answered ${run.plan.subject} ${loopLimit} times within ${loopWindowMs / 1000} s`;
			const reason = `Held: this route ${finding}, which may be a loop; a retry, a drop or a replay lets it go on`;
			answers.delete(key);
			held.set(key, reason);
			tell(key, {held: reason});
			log.warn(
				`Route "${run.route}" ${finding}: what comes in for that waits for a person, see "svc runs list --state interrupted"`,
				{[typeof run.id === 'number' ? 'run' : 'delivery']: run.id},
			);
			await kept(memos.put(memoKind, key, reason));
		},
		/** A person has decided about the run: releases its subject if that is held, and resets the count. Never rejects. */
		async release(run: PossibleAnswer) {
			const key = keyOf(run);
			if (key === undefined || !held.delete(key)) {
				return;
			}

			answers.delete(key);
			tell(key, {});
			log.note(`Route "${run.route}" goes on with ${run.plan.subject}`, {id: run.id});
			await kept(memos.drop(memoKind, key));
		},
	};
}

/** The route in a key. */
function routeOfKey(key: string): string {
	const parts: unknown = JSON.parse(key);
	return Array.isArray(parts) ? String(parts[1]) : '';
}

/** The key of answers that are counted together; `undefined` for a run without a subject, which has no limit. */
function keyOf({profile, plan: {subject}, ...run}: PossibleAnswer): string | undefined {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
			// Names on code hosts are case-insensitive.
			return subject === undefined
				? undefined
				: JSON.stringify([profile, origin.route, subject.toLowerCase()]);

		case 'job':
		case 'key':
		case 'person':
		case 'chat':
			return undefined;
	}
}
