import type {AnswerOutcome, Approval, ApprovalAnswer} from '../../core/approval.ts';
import {isKeptWhole} from '../../core/approvals/keeper.ts';
import {createTimer} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {createRepeat} from '../../core/mutex.ts';
import type {Broker} from '../../core/reduce.ts';
import {
	answerOutcomeSchema,
	approvalAnswerSchema,
	approvalSchema,
} from '../../core/schemas/approval.ts';
import type {Store} from '../../store/port.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {RoomWorld} from '../rooms.ts';

/** The approvals of all members: a request of another member is answered by that member. */
export type SharedApprovals = Omit<OpenedApprovals, 'extend'> & {
	/** @see Approvals.extend @throws SvcError `member_silent` */
	extend(id: number): Promise<Approval | undefined>;
};

type AtOther = {readonly approval: Approval; readonly owner: string};

/** Pause before a member that did not answer is asked again, milliseconds. */
const askAgainMs = 2000;

/** Maximum number of requests read from the store at once. */
const maxRead = 200;

/** Maximum JSON size of requests that one member sends another at once, UTF-16 units. */
const maxTold = 256 * 1024;

/**
 * Joins the requests of this member with those of the others. The member whose run asks applies its own rules to an answer, and accepts the first one.
 *
 * @see manual/several-machines.md#approvals-across-members
 */
export function shareApprovals(
	approvals: OpenedApprovals,
	{
		clock,
		broker,
		store,
		cluster,
	}: Pick<RoomWorld, 'clock' | 'cluster'> & {
		readonly broker: Pick<Broker, 'emit'>;
		readonly store: {readonly approvals: Pick<Store['approvals'], 'get' | 'waiting'>};
	},
): SharedApprovals {
	const others = new Map<number, AtOther>();
	const isHere = (id: number) => approvals.waiting().some(one => one.id === id);

	cluster.onHeard((events, owner) => {
		for (const event of events) {
			if (event.type === 'approval-requested' || event.type === 'approval-extended') {
				others.set(event.approval.id, {approval: event.approval, owner});
			} else if (event.type === 'approval-settled') {
				others.delete(event.approval.id);
			}
		}
	});
	/** Looks up a request whose settling was not announced; the store keeps the most recently settled ones. */
	const lookAt = async (id: number) => {
		const approval = await store.approvals.get(id);
		const isWaiting = approval && !approval.decision;
		if (!isWaiting && others.delete(id) && approval) {
			broker.emit({type: 'approval-settled', at: clock.now(), approval});
		}
	};

	cluster.onNote(note => {
		if (note.kind === 'approval-settled' && others.has(note.id)) {
			void lookAt(note.id).catch(() => {});
		}
	});
	cluster.onTaken(({denied}) => {
		for (const {id} of denied) {
			others.delete(id);
		}
	});

	/**
	 * Asks each other member for its waiting requests: it may have started earlier, or its note may be lost. A member that does not answer is asked again; meanwhile its
	 * requests are read from the store. Requests that no member lists any more are looked up there, too.
	 */
	const askOthers = createRepeat(async () => {
		await cluster.look();
		const before = [...others.keys()];
		const still = new Set<number>();
		const silent = new Map<string, string>();
		for (const {owner, node, state} of cluster.members()) {
			if (state === 'live' && owner !== cluster.owner) {
				// oxlint-disable-next-line no-await-in-loop -- few members, and nothing waits for it
				const told = await cluster.call('waiting', null, owner).catch(() => undefined);
				if (told === undefined) {
					silent.set(owner, node);
				}

				for (const approval of approvalsIn(told)) {
					still.add(approval.id);
					keepTold({...approval, node}, owner);
				}
			}
		}

		for (const {approval, owner} of silent.size > 0 ? await store.approvals.waiting(maxRead) : []) {
			const node = silent.get(owner);
			if (node !== undefined && !others.has(approval.id) && isWhole(approval)) {
				still.add(approval.id);
				keepTold({...approval, node}, owner);
			}
		}

		await Promise.all(before.filter(id => !still.has(id)).map(lookAt));
		if ((silent.size > 0 || cluster.members().length === 0) && again.isFree()) {
			again.set(askAgainMs, askSoon);
		}
	});

	const again = createTimer(clock);
	cluster.onLeaving(() => again[Symbol.dispose]());
	const askSoon = () => {
		askOthers().catch(() => again.set(askAgainMs, askSoon));
	};

	const keepTold = (approval: Approval, owner: string) => {
		others.set(approval.id, {approval, owner});
		// Only for faces of this member: the other members know already.
		broker.emit({type: 'approval-requested', at: clock.now(), approval});
	};

	if (cluster.isShared) {
		askSoon();
		cluster.onMissed(askSoon);
	}

	cluster.serve('waiting', {
		has: () => true,
		async perform() {
			const told: Approval[] = [];
			let length = 0;
			for (const approval of approvals.waiting()) {
				length += JSON.stringify(approval).length;
				if (length <= maxTold) {
					told.push(approval);
				}
			}

			return plain(told);
		},
	});
	const has = (input: JsonValue) => isHere(idIn(input));
	cluster.serve('settle', {
		has,
		async perform(input) {
			const {answer, by} = isJsonObject(input) ? input : {};
			return plain(
				await approvals.settle(
					idIn(input),
					approvalAnswerSchema.parse(answer),
					typeof by === 'string' ? by : '',
				),
			);
		},
	});
	cluster.serve('extend', {
		has,
		perform: async input => plain(approvals.extend(idIn(input)) ?? null),
	});

	const nodeOf = (id: number) => {
		const node = others.get(id)?.approval.node;
		return node === undefined ? 'the gateway of its run' : `gateway "${node}"`;
	};

	const unanswered = (id: number) =>
		new SvcError(
			'member_silent',
			`Cannot tell whether approval ${id} took that: ${nodeOf(id)}, which asks, does not answer; look at it again`,
		);

	/** Refuses form content without encryption: it may be a password, and would be in the database for a while. */
	const refusePlain = (id: number, answer: ApprovalAnswer) => {
		if ('content' in answer && !cluster.isSealed()) {
			throw new SvcError(
				'approval_invalid',
				`Cannot fill in form ${id} here: without the gateway.store_key that all gateways have it would pass through the database as it is; fill it in at ${nodeOf(id)}, or set the key at "${cluster.node}" and restart that`,
			);
		}
	};

	const settleThere = async (
		id: number,
		answer: ApprovalAnswer,
		by: string,
	): Promise<AnswerOutcome> => {
		refusePlain(id, answer);
		const result = await cluster.call('settle', plain({id, answer, by}), others.get(id)?.owner);
		if (result === undefined) {
			throw unanswered(id);
		}

		return answerOutcomeSchema.parse(result);
	};

	return {
		...approvals,
		waiting() {
			const own = approvals.waiting();
			return others.size === 0
				? own
				: [...own, ...[...others.values()].map(({approval}) => approval)].toSorted(
						(one, other) => one.id - other.id,
					);
		},
		async settle(id, answer, by) {
			const outcome = await approvals.settle(id, answer, by);
			const isElsewhere =
				cluster.isShared && !outcome.settled && outcome.approval && !outcome.approval.decision;
			if (!isElsewhere) {
				return outcome;
			}

			const byUs = `${by} at ${cluster.node}`;
			try {
				return await settleThere(id, answer, byUs);
			} catch (error) {
				// The request may be settled already, even by this answer if only the reply was lost; or its gateway may be gone.
				const {approval} = await approvals.settle(id, answer, by);
				const {decision} = approval ?? {};
				if (!approval || !decision) {
					throw error;
				}

				const verdict = answer.choice === 'deny' ? 'denied' : 'allowed';
				const settled = decision.by === byUs && decision.outcome === verdict;
				return {settled, approval};
			}
		},
		async extend(id) {
			const here = approvals.extend(id);
			const there = others.get(id);
			if (here || !there) {
				return here;
			}

			const result = await cluster.call('extend', {id}, there.owner);
			if (result === undefined) {
				throw unanswered(id);
			}

			return result === null ? undefined : approvalSchema.parse(result);
		},
	};
}

/** Parses a member's answer; the member may run another version. */
const approvalsIn = (told: JsonValue | undefined): readonly Approval[] => {
	const parsed = approvalSchema.array().safeParse(told);
	return parsed.success ? parsed.data : [];
};

/** Whether this version can read a request from the store, and the store kept all that a person has to read. */
const isWhole = (approval: Approval): boolean =>
	approvalSchema.safeParse(approval).success && isKeptWhole(approval);

const idIn = (input: JsonValue): number =>
	isJsonObject(input) && typeof input['id'] === 'number' ? input['id'] : -1;

/** The value as JSON: without members that are `undefined`. */
const plain = (value: unknown): JsonValue => {
	const json: JsonValue = JSON.parse(JSON.stringify(value));
	return json;
};
