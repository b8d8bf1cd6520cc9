import type {DeliveryOutcome} from '../core/delivery.ts';
import {messageOf} from '../core/errors.ts';
import type {Emit} from '../core/events.ts';
import type {Group} from '../core/group.ts';
import type {Busy} from '../core/idle.ts';
import type {Redact} from '../core/redact.ts';
import type {JobKey} from '../store/port.ts';
import {enterRoute} from './find-route.ts';
import type {RequestHeaders} from './headers.ts';
import {deliveryIdOf, redactedIdentifier} from './identity.ts';
import type {KnownEvent} from './known-event.ts';
import type {Metrics} from './metrics.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {receive, receiveAuthenticated} from './receive.ts';
import type {Knock} from './receive.ts';
import {refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {cleanDetail, deliveryOf, note, storedDeliveryOf} from './visit.ts';
import type {Visit} from './visit.ts';

export type PipelineDependencies = {
	readonly parts: PipelineParts;
	readonly ids: () => string;
	readonly emit: Emit;
	readonly redact: Redact;
	readonly metrics: Metrics;
	/** Counts the events under way. */
	readonly busy: Busy;
	/** A run waits, of `job` if it is one of a job; must not throw. */
	readonly onAccepted: (runId: number, job?: JobKey) => void;
	/** A group is on disk as it is now; must not throw. */
	readonly onGroupChanged: (group: Group) => void;
};

export type Pipeline = {
	/** Answers one request; never rejects. */
	post(knock: Knock, headers: RequestHeaders): Promise<Reply>;
	/** Sends a stored event through everything after authentication, under an identifier of its own; never rejects. */
	replay(event: KnownEvent, replayOf: string): Promise<Reply>;
	/** The same for an event that its sender could not deliver, under the identifier that the sender gave it. */
	recover(event: KnownEvent, deliveryId: string): Promise<Reply>;
};

/** Wraps the response table: opens a visit for each event, and reports how it ended to the faces, the journal and the metrics. */
export function createPipeline({
	parts,
	ids,
	emit,
	redact,
	metrics,
	busy,
	onAccepted,
	onGroupChanged,
}: PipelineDependencies): Pipeline {
	const {clock, intake, log} = parts;

	const openVisit = (
		headers: RequestHeaders,
		identity: Pick<Visit, 'id' | 'deliveryId' | 'idSource' | 'hasFixedId' | 'replayOf'>,
	): Visit => ({
		id: identity.id,
		receivedAt: clock.now(),
		startedAt: clock.monotonic(),
		headers,
		redact,
		deliveryId: redactedIdentifier(identity.deliveryId, redact),
		idSource: identity.idSource,
		hasSignedId: false,
		hasFixedId: identity.hasFixedId,
		replayOf: identity.replayOf,
		profile: 'default',
		route: '-',
		routeId: undefined,
		keptHeaders: [],
		event: '-',
		body: undefined,
		keepsBody: false,
		flags: 0,
		isAboveRate: false,
		trace: [],
	});

	/** What was decided stands, whatever goes wrong where it is told. */
	const tell = (visit: Visit, report: () => void) => {
		try {
			report();
		} catch (error) {
			log.error(`Cannot report delivery of route "${visit.route}": ${messageOf(error)}`, {
				delivery: visit.id,
			});
		}
	};

	const tellGroups = ({group, dispatched}: NonNullable<Reply['joined']>) => {
		if (dispatched) {
			onGroupChanged(dispatched);
		}

		onGroupChanged(group);
		if (dispatched?.runId !== undefined) {
			onAccepted(dispatched.runId);
		}
	};

	/** Never throws. */
	const close = (visit: Visit, reply: Reply): void => {
		const now = clock.monotonic();
		tell(visit, () => {
			const delivery = deliveryOf(visit, reply, now);
			if (!recorded.has(reply.outcome)) {
				intake.note(storedDeliveryOf(visit, delivery));
			}

			metrics.observe(visit.routeId, delivery);
			emit({type: 'delivery-received', at: clock.now(), delivery});
		});
		const {runId, job, joined} = reply;
		if (runId !== undefined) {
			tell(visit, () => {
				onAccepted(runId, job);
			});
		}

		if (joined) {
			tell(visit, () => {
				tellGroups(joined);
			});
		}
	};

	/** Whatever went wrong, nothing was accepted: the sender is asked to come again. */
	const fail = (visit: Visit, error: unknown): Reply => {
		log.error(`Cannot accept delivery for route "${visit.route}": ${messageOf(error)}`, {
			delivery: visit.id,
		});
		note(visit, 'journal', {verdict: 'stop', detail: cleanDetail(visit, messageOf(error))});
		return refusals.journal;
	};

	const visitAll = async (visit: Visit, walk: () => Promise<Reply>): Promise<Reply> => {
		const done = busy.begin();
		let reply: Reply;
		try {
			reply = await walk();
		} catch (error) {
			reply = fail(visit, error);
		}

		close(visit, reply);
		done();
		return reply;
	};

	/** What is known of the sender was checked before, or is a person's word. */
	const take = async (
		{route, body, headers}: KnownEvent,
		identity: Parameters<typeof openVisit>[1],
		origin: string,
	) => {
		const visit = openVisit(headers, identity);
		visit.body = body;
		enterRoute(visit, route, parts);
		note(visit, 'signature', {verdict: 'skip', detail: origin});
		note(visit, 'rate', {verdict: 'skip', detail: `${origin}: spends no quota`});
		return visitAll(visit, async () => receiveAuthenticated(visit, {route, body}, parts));
	};

	return {
		async post(knock, headers) {
			const {deliveryId, idSource} = deliveryIdOf(headers);
			const visit = openVisit(headers, {
				id: ids(),
				deliveryId,
				idSource,
				hasFixedId: false,
				replayOf: undefined,
			});
			return visitAll(visit, async () => receive(visit, knock, parts));
		},
		async replay(event, replayOf) {
			const id = ids();
			const deliveryId = `replay-${id}`;
			const identity = {id, deliveryId, idSource: 'replay', hasFixedId: true, replayOf};
			return take(event, identity, `replay of ${replayOf}`);
		},
		async recover(event, deliveryId) {
			const identity = {
				...deliveryIdOf({recovered: deliveryId}, ['recovered']),
				id: ids(),
				hasFixedId: true,
				replayOf: undefined,
			};
			return take(event, identity, 'fetched from its sender');
		},
	};
}

/** What the journal was told on the way; everything else is noted at the end, so that each delivery can be opened. */
const recorded: ReadonlySet<DeliveryOutcome> = new Set([
	'accepted',
	'coalesced',
	'delivered',
	'delivery',
]);
