import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {JsonObject} from '../core/json.ts';
import {
	isSessionId,
	mintSessionId,
	type SessionOwner,
	sessionOwnerFacts,
	sessionOwnerId,
	sessionOwnerOf,
	spokenText,
} from '../core/session.ts';
import {escapeLine} from '../core/untrusted.ts';
import {type StoredSessions, refuseAbove, sessionTaken} from './session-port.ts';
import {type HeldLease, holdLease, type Leases} from './shared-port.ts';

/** A session with its only turn in progress. */
export type OpenSession = {
	readonly id: string;
	/** The earlier messages, oldest first. */
	readonly before: readonly JsonObject[];
	/** Checks that the messages and an answer can be added. @throws SvcError `session_full` */
	checkRoom(messages: readonly JsonObject[]): void;
	/** A client has learned the identifier: the session is kept even if it stays empty. */
	tell(): void;
	/**
	 * Durably adds the turn.
	 *
	 * @param run the run that produced `answer`
	 * @throws SvcError `session_full`, `session_not_found` when it was removed meanwhile, `session_busy` when another gateway may have continued it, `journal_unavailable`
	 */
	keep(turn: {
		readonly asked: readonly JsonObject[];
		readonly answer: JsonObject;
		readonly model: string;
		readonly run?: number;
	}): Promise<void>;
	/** Ends the turn. If the turn was not kept, an untold new session is removed. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Sessions, one turn at a time each. */
export type SessionDesk = {
	/** @throws SvcError `journal_unavailable` */
	begin(owner: SessionOwner, model: string): Promise<OpenSession>;
	/** @throws SvcError `session_not_found`, also for a session of another owner, `session_busy` */
	resume(owner: SessionOwner, id: string): Promise<OpenSession>;
	/** `false` when there is no such session. @throws SvcError `session_busy` */
	remove(id: string): Promise<boolean>;
};

const maxTitle = 80;

export function createSessionDesk({
	clock,
	sessions,
	leases,
}: {
	readonly clock: Clock;
	readonly sessions: Pick<StoredSessions, 'begin' | 'append' | 'remove' | 'get' | 'messages'>;
	/** Leases of sessions with a turn in progress at any gateway. */
	readonly leases: Leases;
}): SessionDesk {
	const take = async (id: string): Promise<HeldLease> => {
		const place = await holdLease(leases(`session ${id}`), clock);
		if (!place) {
			throw new SvcError(
				'session_busy',
				`Cannot go on with session "${id}": a turn of it is under way`,
			);
		}

		return place;
	};

	const opened = (
		id: string,
		before: readonly JsonObject[],
		{isNew, place}: {readonly isNew: boolean; readonly place: HeldLease},
	): OpenSession => {
		let isKnown = !isNew;
		return {
			id,
			before,
			tell() {
				isKnown = true;
			},
			checkRoom(messages) {
				refuseAbove({
					messages: before.length + messages.length + 1,
					bytes: bytesOf(before) + bytesOf(messages),
				});
			},
			async keep({asked, answer, model, run}) {
				// Another gateway may have continued the session by now.
				if (!(await place.isHeld())) {
					throw sessionTaken(id);
				}

				const messages = [...asked, answer];
				const first = messages.find(({role}) => role === 'user');
				const title = first ? spokenText(first).replaceAll(/\s+/g, ' ').trim() : '';
				const turn = {
					at: clock.now(),
					model,
					title: escapeLine(title, maxTitle),
					messages: messages.map((message, index) => ({
						message,
						text: spokenText(message),
						...(run !== undefined && index === asked.length && {run}),
					})),
				};
				const kept = await sessions.append(id, turn, place.token());
				if (!kept) {
					throw notFound(id);
				}

				isKnown = true;
			},
			async [Symbol.asyncDispose]() {
				try {
					if (!isKnown && !place.lost.aborted) {
						await sessions.remove(id);
					}
				} catch {
					// The session is empty: the retention will remove it.
				} finally {
					await place[Symbol.asyncDispose]();
				}
			},
		};
	};

	return {
		async begin(owner, model) {
			const id = mintSessionId();
			const named =
				owner.kind === 'key' ? {...owner, name: escapeLine(owner.name, maxTitle)} : owner;
			await sessions.begin({id, model, createdAt: clock.now(), ...sessionOwnerFacts(named)});
			return opened(id, [], {isNew: true, place: await take(id)});
		},
		async resume(owner, id) {
			const session = isSessionId(id) ? await sessions.get(id) : undefined;
			if (!session || sessionOwnerId(sessionOwnerOf(session)) !== sessionOwnerId(owner)) {
				throw notFound(id);
			}

			await using stack = new AsyncDisposableStack();
			const place = stack.use(await take(id));
			const before = (await sessions.messages(id)).map(({message}) => message);
			stack.move();
			return opened(id, before, {isNew: false, place});
		},
		async remove(id) {
			const place = await take(id);
			try {
				return await sessions.remove(id);
			} finally {
				await place[Symbol.asyncDispose]();
			}
		},
	};
}

const bytesOf = (messages: readonly JsonObject[]): number =>
	messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);

const notFound = (id: string): SvcError =>
	new SvcError(
		'session_not_found',
		`Cannot find the session "${escapeLine(id, 64)}": it was never begun, was removed, or belongs to another key`,
	);
