import type {Route} from '../config/route.ts';
import type {DeliveryOutcome} from '../core/delivery.ts';
import {messageOf} from '../core/errors.ts';
import type {Emit} from '../core/events.ts';
import type {Busy} from '../core/idle.ts';
import type {Redact} from '../core/redact.ts';
import type {RequestHeaders} from './headers.ts';
import {deliveryIdOf} from './identity.ts';
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
	/** A run waits; must not throw. */
	readonly onAccepted: (runId: number) => void;
};

export type Pipeline = {
	/** Answers one request; never rejects. */
	post(knock: Knock, headers: RequestHeaders): Promise<Reply>;
	/** Sends a stored event through everything after authentication; never rejects. */
	replay(event: ReplayedEvent): Promise<Reply>;
};

export type ReplayedEvent = {
	readonly route: Route;
	readonly body: Buffer;
	readonly headers: RequestHeaders;
	/** `Delivery.id` of the original. */
	readonly replayOf: string;
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
}: PipelineDependencies): Pipeline {
	const {clock, intake, log} = parts;

	const openVisit = (
		headers: RequestHeaders,
		identity: Pick<Visit, 'id' | 'deliveryId' | 'idSource' | 'replayOf'>,
	): Visit => ({
		id: identity.id,
		receivedAt: clock.now(),
		startedAt: clock.monotonic(),
		headers,
		redact,
		deliveryId: identity.deliveryId,
		idSource: identity.idSource,
		replayOf: identity.replayOf,
		profile: 'default',
		route: '-',
		isKnownRoute: false,
		event: '-',
		body: undefined,
		keepsBody: false,
		flags: 0,
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

	const close = (visit: Visit, reply: Reply): Reply => {
		const now = clock.monotonic();
		tell(visit, () => {
			if (!recorded.has(reply.outcome)) {
				intake.note(storedDeliveryOf(visit, reply, now));
			}

			const delivery = deliveryOf(visit, reply, now);
			metrics.observe(visit.isKnownRoute ? visit.route : undefined, delivery);
			emit({type: 'delivery-received', at: clock.now(), delivery});
		});
		const {runId} = reply;
		if (runId !== undefined) {
			tell(visit, () => {
				onAccepted(runId);
			});
		}

		return reply;
	};

	/** Whatever went wrong, nothing was accepted: the sender is asked to come again. */
	const fail = (visit: Visit, error: unknown): Reply => {
		log.error(`Cannot accept delivery for route "${visit.route}": ${messageOf(error)}`, {
			delivery: visit.id,
		});
		note(visit, 'journal', {verdict: 'stop', detail: cleanDetail(visit, messageOf(error))});
		return refusals.journal;
	};

	const decide = async (visit: Visit, walk: () => Promise<Reply>): Promise<Reply> => {
		try {
			return await walk();
		} catch (error) {
			return fail(visit, error);
		}
	};

	const visitAll = async (visit: Visit, walk: () => Promise<Reply>): Promise<Reply> => {
		const done = busy.begin();
		try {
			return close(visit, await decide(visit, walk));
		} finally {
			done();
		}
	};

	return {
		async post(knock, headers) {
			const {deliveryId, idSource} = deliveryIdOf(headers);
			const visit = openVisit(headers, {id: ids(), deliveryId, idSource, replayOf: undefined});
			return visitAll(visit, async () => receive(visit, knock, parts));
		},
		async replay({route, body, headers, replayOf}) {
			const id = ids();
			const visit = openVisit(headers, {
				id,
				deliveryId: `replay-${id}`,
				idSource: 'replay',
				replayOf,
			});
			visit.route = route.name;
			visit.profile = route.profile;
			visit.isKnownRoute = true;
			visit.body = body;
			note(visit, 'route', {verdict: 'pass', detail: route.source});
			note(visit, 'signature', {verdict: 'skip', detail: `replay of ${replayOf}`});
			note(visit, 'rate', {verdict: 'skip', detail: 'a replay spends no quota'});
			return visitAll(visit, async () => receiveAuthenticated(visit, {route, body}, parts));
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
