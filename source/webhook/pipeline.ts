import type {RouteTable} from '../config/config.ts';
import type {Route} from '../config/route.ts';
import type {Busy} from '../core/clock.ts';
import type {DeliveryOutcome, StoredDelivery, ReplayChanges} from '../core/delivery.ts';
import {SvcError, messageOf} from '../core/errors.ts';
import type {Group} from '../core/group.ts';
import type {World} from '../core/world.ts';
import {enterRoute} from './admission.ts';
import {deliveryIdOf, redactedIdentifier} from './identity.ts';
import type {Metrics} from './metrics.ts';
import {
	type DeliveryDraft,
	type ReceiverServices,
	cleanDetail,
	deliveryOf,
	note,
	storedDeliveryOf,
} from './receive-context.ts';
import {type WebhookRequest, receive, receiveAuthenticated} from './receive.ts';
import {type Reply, refusals} from './replies.ts';
import type {RequestHeaders} from './request-content.ts';

export type PipelineDependencies = Pick<World, 'emit' | 'redact'> & {
	readonly services: ReceiverServices;
	/** Makes values of `Delivery.id`. */
	readonly ids: () => string;
	readonly metrics: Metrics;
	/** Counts the events that are being processed. */
	readonly busy: Busy;
	/** Called when a run is stored and queued; must not throw. `isImplied`: faces can derive the whole run from the event `delivery-received`. */
	readonly onAccepted: (runId: number, isImplied: boolean) => void;
	/**
	 * Called when a stored group changed: an event opened or joined it (it is due at `dueOf(group).at`), or it was dispatched to make room for a new group. In the latter case
	 * `onAccepted` is called with its run afterwards. Emits nothing; must not throw.
	 */
	readonly onGroupChanged: (group: Group) => void;
};

export type Pipeline = {
	/** Answers one request; never rejects. */
	post(request: WebhookRequest, headers: RequestHeaders): Promise<Reply>;
	/** Processes a stored event from the first step after authentication, under a new identifier; never rejects. */
	replay(event: KnownEvent, replayOf: string): Promise<Reply>;
	/** Processes an event that its sender could not deliver in the same way, but under the sender's identifier; never rejects. */
	recover(event: KnownEvent, deliveryId: string): Promise<Reply>;
};

/** Wraps the response table: opens a draft for each event, and reports its outcome to faces, journal and metrics. */
export function createPipeline({
	services,
	ids,
	emit,
	redact,
	metrics,
	busy,
	onAccepted,
	onGroupChanged,
}: PipelineDependencies): Pipeline {
	const {clock, intake, log} = services;

	const openDraft = (
		headers: RequestHeaders,
		identity: Pick<DeliveryDraft, 'id' | 'deliveryId' | 'idSource' | 'hasFixedId' | 'replayOf'>,
	): DeliveryDraft => ({
		...identity,
		receivedAt: clock.now(),
		startedAt: clock.monotonic(),
		headers,
		redact,
		deliveryId: redactedIdentifier(identity.deliveryId, redact),
		hasSignedId: false,
		profile: 'default',
		route: '-',
		routeId: undefined,
		keptHeaders: [],
		event: '-',
		subject: undefined,
		body: undefined,
		keepsBody: false,
		flags: 0,
		isAboveRate: false,
		trace: [],
	});

	/** Reports a delivery. A failing report is logged, and does not change the decision. */
	const tell = (draft: DeliveryDraft, report: () => void) => {
		try {
			report();
		} catch (error) {
			log.error(`Cannot report delivery of route "${draft.route}": ${messageOf(error)}`, {
				delivery: draft.id,
			});
		}
	};

	const tellGroups = ({group, dispatched}: NonNullable<Reply['joined']>) => {
		if (dispatched) {
			onGroupChanged(dispatched);
		}

		onGroupChanged(group);
		if (dispatched?.runId !== undefined) {
			onAccepted(dispatched.runId, false);
		}
	};

	/** Never throws. */
	const close = (draft: DeliveryDraft, reply: Reply): void => {
		const now = clock.monotonic();
		tell(draft, () => {
			const delivery = deliveryOf(draft, reply, now);
			if (!recorded.has(reply.outcome) && !reply.isPassing) {
				intake.note(storedDeliveryOf(draft, delivery));
			}

			metrics.observe(draft.routeId, delivery);
			emit({type: 'delivery-received', at: clock.now(), delivery});
		});
		const {runId, isMoreThanImplied = false, joined} = reply;
		if (runId !== undefined) {
			tell(draft, () => onAccepted(runId, !isMoreThanImplied));
		}

		if (joined) {
			tell(draft, () => tellGroups(joined));
		}
	};

	/** The answer after an unexpected error, 503: nothing was accepted, so the sender should try again. */
	const fail = (draft: DeliveryDraft, error: unknown): Reply => {
		log.error(`Cannot accept delivery for route "${draft.route}": ${messageOf(error)}`, {
			delivery: draft.id,
		});
		note(draft, 'journal', {verdict: 'stop', detail: cleanDetail(draft, messageOf(error))});
		return refusals.journal;
	};

	const complete = async (draft: DeliveryDraft, walk: () => Promise<Reply>): Promise<Reply> => {
		const done = busy.begin();
		let reply: Reply;
		try {
			reply = await walk();
		} catch (error) {
			reply = fail(draft, error);
		}

		close(draft, reply);
		done();
		return reply;
	};

	/** Processes an event that needs no authentication: a person replays it, or it was fetched from its sender. */
	const take = async (
		{route, body, headers}: KnownEvent,
		identity: Parameters<typeof openDraft>[1],
		origin: string,
	) => {
		const draft = openDraft(headers, identity);
		draft.body = body;
		enterRoute(draft, route, services);
		note(draft, 'signature', {verdict: 'skip', detail: origin});
		note(draft, 'rate', {verdict: 'skip', detail: `${origin}: spends no quota`});
		return complete(draft, async () => receiveAuthenticated(draft, {route, body}, services));
	};

	return {
		async post(request, headers) {
			const {deliveryId, idSource} = deliveryIdOf(headers);
			const draft = openDraft(headers, {
				id: ids(),
				deliveryId,
				idSource,
				hasFixedId: false,
				replayOf: undefined,
			});
			return complete(draft, async () => receive(draft, request, services));
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

/** Outcomes whose deliveries were stored before the request ends. The pipeline stores all others, so that a person can open each delivery. */
const recorded: ReadonlySet<DeliveryOutcome> = new Set([
	'accepted',
	'coalesced',
	'delivered',
	'delivery',
]);

/** An authenticated event and its route. */
export type KnownEvent = {
	readonly route: Route;
	readonly body: Buffer;
	readonly headers: RequestHeaders;
};

/** An event that its sender could not deliver. */
export type RecoveredEvent = {
	/** Name of a route. */
	readonly route: string;
	/** The sender's identifier. */
	readonly deliveryId: string;
	readonly headers: Readonly<Record<string, string>>;
	/** UTF-8. */
	readonly body: string;
};

/** The event of a stored delivery, with the changes of a replay. @throws SvcError `route_not_found`, `body_not_kept` */
export function replayedEvent(
	stored: StoredDelivery,
	{body, route: name = stored.route}: ReplayChanges,
	table: RouteTable,
): KnownEvent {
	const route = routeOf(name, table);
	const bytes = body === undefined ? stored.body : Buffer.from(body);
	if (!bytes) {
		throw new SvcError(
			'body_not_kept',
			`Cannot replay delivery "${stored.id}": its body was not kept`,
		);
	}

	return {
		route,
		body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
		headers: stored.headers,
	};
}

/** An event as its sender would have sent it. @throws SvcError `route_not_found` */
export const recoveredEvent = (
	{route, headers, body}: RecoveredEvent,
	table: RouteTable,
): KnownEvent => ({
	route: routeOf(route, table),
	body: Buffer.from(body),
	headers: Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	),
});

function routeOf(name: string, {routes, invalid}: RouteTable): Route {
	const route = routes.get(name);
	if (!route) {
		const reason = invalid.get(name)?.view.problem ?? 'there is no such route';
		throw new SvcError('route_not_found', `Cannot send to "${name}": ${reason}`);
	}

	return route;
}
