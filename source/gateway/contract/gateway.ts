import {z} from 'zod';
import {
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
} from '../../core/schemas/config-view.ts';
import {facts, integer, number, text, texts, yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';

/** Timeout of calls whose answer takes no work, milliseconds. */
const shortSilenceMs = 5000;

/** The gateway's status as one object. @see manual/control-api.md */
const status = facts({
	pid: integer,
	version: text,
	home: text,
	profile: text,
	/** Where the gateway runs: in an interface's process, in the foreground (`svc gateway run`), or in the background. Older gateways omit it. */
	seat: z.enum(['interface', 'foreground', 'background']).exactOptional(),
	/** Milliseconds since 1970. */
	started_at: number,
	webhook: z.union([
		facts({url: text}),
		facts({refused: text}),
		facts({disabled: z.literal(true)}),
	]),
	api: z.union([facts({url: text}), facts({refused: text}), facts({disabled: z.literal(true)})]),
	/** Number of runs. `to_decide`: runs of any age that wait for a person; `awaiting_login`: queued runs that wait for a person to log in to a tool server. */
	runs: facts({
		active: integer,
		queued: integer,
		to_decide: integer,
		awaiting_login: integer,
		/** Queued runs by what they wait for: the first four add up to `queued`. Older gateways omit it. */
		queue: facts({
			worker: integer,
			rate_limit: integer,
			login: integer,
			/** Runs that wait for the time of their next attempt. */
			retry: integer,
			/** When the run that has waited longest for a worker became due, milliseconds since 1970. */
			oldest_due_at: number.nullable(),
			/** Number of workers (`runs.concurrency`), and how many of them are busy. */
			places: integer,
			places_taken: integer,
		}).exactOptional(),
	}),
	/** Number of pending groups. */
	groups: integer,
	/** `next_at`: when the next job fires, milliseconds since 1970. */
	jobs: facts({count: integer, next_at: number.nullable()}),
	servers: z.array(
		facts({name: text, profile: text, status: text, tools: integer, reason: text.nullable()}),
	),
	/** Number of calls and forms that wait for a person. */
	approvals: integer,
	platforms: z.array(platformViewSchema),
	model: modelViewSchema.nullable(),
	/** Why the configured model cannot be used; `null` when it can. */
	model_problem: text.nullable(),
	/** Invalid items of the configuration, at most 100: each is either out of service or still used as it was before the last change (`serving`). */
	slips: z.array(
		facts({
			kind: z.enum(['route', 'server', 'platform', 'job', 'section']),
			name: text,
			/** One sentence with file, line and column. */
			problem: text,
			/** Whether the item's last valid version is in use. */
			serving: yesOrNo,
		}),
	),
	/** Errors (the previous configuration stays in use) or warnings of the last read of the configuration. */
	config_problems: z.array(diagnosticSchema),
	/** Keys whose change needs a restart. */
	restart_needed: texts,
	/** Why the journal cannot be written; `null` when it can. */
	journal_failing: text.nullable(),
	/** The kind of the store, and whether it can be reached. Older gateways omit it. */
	store: facts({kind: z.enum(['sqlite', 'postgres']), ok: yesOrNo}).exactOptional(),
	/**
	 * Only for a store that gateways share. `notes_lag_ms`: the longest delay of a note from another gateway in the last minute. `queue_by_route`: up to ten routes with queued
	 * runs, counted among the newest thousand. `differences`: gateways with another configuration than this one, each with the first keys that differ.
	 */
	sharing: facts({
		notes_lag_ms: integer.nullable(),
		queue_by_route: z.array(facts({profile: text, route: text, queued: integer})),
		differences: z.array(facts({node: text, keys: texts})).exactOptional(),
	}).exactOptional(),
	/** The gateways on the shared store, including this one, as last known. A gateway is gone when it was not seen for a minute, and stays listed for an hour. */
	cluster: facts({
		members: z.array(
			facts({
				node: text,
				/** When the gateway opened the store, and when it was last seen; ISO 8601, by the store's clock. */
				since: text,
				seen: text,
				/** Number of runs that the gateway works on. */
				leases: integer,
			}),
		),
	}).exactOptional(),
}).register(z.globalRegistry, {id: 'Status'});

/** The gateway as a whole. */
export const gateway = {
	status: get('/v1/status', 'The gateway in one object.', {
		result: status,
		silenceMs: shortSilenceMs,
	}),
	/**
	 * Accepts a found model that costs money (`GatewayState.modelOffer`): writes its provider to `config.yaml` and reloads.
	 * @throws SvcError `model_not_offered`
	 */
	useModel: post(
		'/v1/model/{provider}',
		'Agrees to use an offered model provider and writes it to config.yaml.',
		{},
	),
	/** Reads all configuration files again. */
	reload: post('/v1/reload', 'Reads every configuration file again.', {}),
	/** Tries to listen again after a refusal. */
	restartReceiver: post('/v1/receiver/restart', 'Tries to listen again after a refusal.', {}),
	/** What stopping now would end. */
	stopConsequences: get('/v1/stop-consequences', 'What stopping now would end.', {
		result: facts({
			activeRuns: integer,
			queuedRuns: integer,
			/** Pending groups, which would be dispatched. */
			pendingGroups: integer,
		}),
	}),
	/** Drains the gateway and ends it. From another process it resolves once the drain has begun. */
	stop: post('/v1/stop', 'Starts the drain; the gateway ends when it is done.', {}),
} as const satisfies Operations;
