import {z} from 'zod';
import {
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
} from '../../core/schemas/config-view.ts';
import {facts, integer, number, text, texts, yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';

/** A call whose answer needs nothing to be done fails after so long. */
const shortSilenceMs = 5000;

/** The gateway in one object. @see manual/control-api.md */
const status = facts({
	pid: integer,
	version: text,
	home: text,
	profile: text,
	/** Beside an interface in its process, in the foreground (`svc gateway run`), or in the background. Older gateways do not say. */
	seat: z.enum(['interface', 'foreground', 'background']).exactOptional(),
	/** Milliseconds since 1970. */
	started_at: number,
	webhook: z.union([
		facts({url: text}),
		facts({refused: text}),
		facts({disabled: z.literal(true)}),
	]),
	/** The chat API. */
	api: z.union([facts({url: text}), facts({refused: text}), facts({disabled: z.literal(true)})]),
	/** `to_decide`: those that wait for a person, however old they are; `awaiting_login`: of those that are queued, so many wait for a person to log in to a tool server. */
	runs: facts({
		active: integer,
		queued: integer,
		to_decide: integer,
		awaiting_login: integer,
		/** What those that are queued wait for: `queued` is the sum of the first four. Older gateways do not say. */
		queue: facts({
			worker: integer,
			rate_limit: integer,
			login: integer,
			/** The time of their next try. */
			retry: integer,
			/** When the run that has waited for a worker for longest was due, milliseconds since 1970. */
			oldest_due_at: number.nullable(),
			/** How many runs may be at work (`runs.concurrency`), and how many are. */
			places: integer,
			places_taken: integer,
		}).exactOptional(),
	}),
	/** Groups that wait. */
	groups: integer,
	/** `next_at`: when the first of them fires, milliseconds since 1970. */
	jobs: facts({count: integer, next_at: number.nullable()}),
	servers: z.array(
		facts({name: text, profile: text, status: text, tools: integer, reason: text.nullable()}),
	),
	/** How many calls and forms wait for a person. */
	approvals: integer,
	platforms: z.array(platformViewSchema),
	model: modelViewSchema.nullable(),
	/** Why the configured model cannot be used, if so. */
	model_problem: text.nullable(),
	/** What cannot be used as it is written, at most 100: each is out of service, or serves as it was before the last change (`serving`). */
	slips: z.array(
		facts({
			kind: z.enum(['route', 'server', 'platform', 'job', 'section']),
			name: text,
			/** One sentence with file, line and column. */
			problem: text,
			/** Whether its last good version is in use. */
			serving: yesOrNo,
		}),
	),
	/** What the last look at the configuration refused (then the one before it is in use) or warned of. */
	config_problems: z.array(diagnosticSchema),
	/** Keys whose change waits for a restart. */
	restart_needed: texts,
	/** Why the journal cannot be written now, if so. */
	journal_failing: text.nullable(),
	/** Where everything is kept, and whether it can be reached. Older gateways do not say. */
	store: facts({kind: z.enum(['sqlite', 'postgres']), ok: yesOrNo}).exactOptional(),
	/** Only of a store that gateways share: how late they heard of each other at most in the last minute, milliseconds, and the routes whose runs wait, by how many of the newest thousand are theirs, at most ten. `differences`: the gateways that are configured otherwise than this one, each with the first keys in which it differs. */
	sharing: facts({
		notes_lag_ms: integer.nullable(),
		queue_by_route: z.array(facts({profile: text, route: text, queued: integer})),
		differences: z.array(facts({node: text, keys: texts})).exactOptional(),
	}).exactOptional(),
	/** The gateways on that store, this one among them, as they were known last; one that is gone, which was not seen for a minute, is listed for an hour. */
	cluster: facts({
		members: z.array(
			facts({
				node: text,
				/** Since when it has the store open, and when it was seen last; ISO 8601, by the store's clock. */
				since: text,
				seen: text,
				/** Runs that it works on. */
				leases: integer,
			}),
		),
	}).exactOptional(),
}).register(z.globalRegistry, {id: 'Status'});

/** The gateway as a whole. */
export const gateway = {
	/** The gateway in one object, for `svc gateway status --json`. */
	status: get('/v1/status', 'The gateway in one object.', {
		result: status,
		silenceMs: shortSilenceMs,
	}),
	/**
	 * Agrees to a model that was found but costs money (`GatewayState.modelOffer`): writes the provider to `config.yaml` and reloads.
	 * @throws SvcError `model_not_offered`
	 */
	useModel: post(
		'/v1/model/{provider}',
		'Agrees to use an offered model provider and writes it to config.yaml.',
		{},
	),
	/** Reads every configuration file again, now. */
	reload: post('/v1/reload', 'Reads every configuration file again.', {}),
	/** Tries to listen again after a refusal. */
	restartReceiver: post('/v1/receiver/restart', 'Tries to listen again after a refusal.', {}),
	/** What stopping now would end. */
	stopConsequences: get('/v1/stop-consequences', 'What stopping now would end.', {
		result: facts({
			activeRuns: integer,
			queuedRuns: integer,
			/** Groups that would be dispatched. */
			pendingGroups: integer,
		}),
	}),
	/** Drains and ends the gateway (in another process: asks it to). */
	stop: post('/v1/stop', 'Starts the drain; the gateway ends when it is done.', {}),
} as const satisfies Operations;
