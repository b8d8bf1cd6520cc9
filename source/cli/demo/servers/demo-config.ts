import type {JsonObject} from '../../../core/json.ts';
import world from './world.json' with {type: 'json'};

/** The secret of every route. */
export const demoSecret = world.config.platforms.webhook.secret;

/** What the configuration points to. */
export type DemoPlaces = {
	readonly model: string;
	/** Tool servers that want a login. */
	readonly crm: string;
	readonly billing: string;
	/** Of a code host's client. */
	readonly client: string;
};

/** What `config.yaml` of the demo says. The ports are free ones: the usual ones are those of the person's own gateway, and of the clients that know it. */
export function demoConfig({model, crm, billing, client}: DemoPlaces): JsonObject {
	const {config} = world;
	const {mcp_servers: servers} = config;
	return {
		...config,
		model: {...config.model, base_url: model},
		forge: {cli: client},
		mcp_servers: {
			...servers,
			crm: {...servers.crm, url: crm},
			billing: {...servers.billing, url: billing},
		},
	};
}

/** A subscription with a slip: it is told of in pane 5, and harms nobody else. */
export const demoSubscriptions: JsonObject = world.subscriptions;

const latelyMs = 23.4 * 3_600_000;

/** `cron/jobs.json` of the demo. */
export const demoJobs = (now: number): JsonObject => ({
	jobs: world.jobs.map(job =>
		'created_at' in job ? {...job, created_at: new Date(now - latelyMs).toISOString()} : job,
	),
});
