import {z} from 'zod';
import {defaultPort} from '../core/hosts.ts';
import {flag, secret, setting, nonEmptyText, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, section} from '../core/settings.ts';
import {platformKinds, sectionsOfKinds} from '../platforms/platforms.ts';
import {alertsSchema} from './alerts.ts';
import {apiSettings} from './api-settings.ts';
import {approvalsSettings} from './approval-rules.ts';
import {insecureSecret} from './route-refusals.ts';
import {maxBodyBytes, rateLimit, routesSchema} from './route-schema.ts';
import {
	gatewaySettings,
	metricsSettings,
	modelSettings,
	retentionSettings,
	tlsSettings,
	runsSettings,
} from './section-schemas.ts';
import {toolServersSchema} from './tool-server-schema.ts';
import {sandboxSettings, toolsetsSchema, toolsSettings} from './toolset-settings.ts';

/** False for a list with `INSECURE_NO_AUTH`: it would silently open every route that relies on the global secret. */
const opensNothingUnseen = (written: z.output<typeof secret>): boolean =>
	typeof written === 'string' || !written.includes(insecureSecret);
const opensUnseen = `holds ${insecureSecret} in a list: it counts only when it stands alone`;

/** `platforms.webhook`, and the settings allowed under its `extra`. @see manual/receiver.md#settings */
export const receiverSettings = defineSettings({
	enabled: flag(false, 'Whether the receiver runs (`WEBHOOK_ENABLED`)'),
	host: setting(nonEmptyText, 'Address to listen on; the first start writes `127.0.0.1`', {
		default: '0.0.0.0',
		change: 'restart',
	}),
	port: setting(wholeNumber(0, 65_535), 'Port to listen on; 0: any free one (`WEBHOOK_PORT`)', {
		default: defaultPort,
		change: 'restart',
	}),
	secret: setting(
		secret.refine(opensNothingUnseen, opensUnseen),
		'Secret of routes that have none of their own; text or a list (`WEBHOOK_SECRET`)',
		{at: ['secrets'], secret: true},
	),
	rate_limit: rateLimit,
	max_body_bytes: maxBodyBytes,
	routes: setting(routesSchema, 'Static routes by name', {at: []}),
});

const webhookSchema = z.object({
	...receiverSettings.fields,
	extra: setting(
		receiverSettings.schema,
		'The same settings; where a key stands in both places, this one counts',
		{at: []},
	),
});

const messagingPlatforms: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
	platformKinds.map(({kind, settings}) => [kind, settings]),
);

/**
 * `config.yaml`: the schema of the file, which parses it to typed values.
 *
 * @see manual/receiver.md#settings, manual/routes.md#keys, manual/runs.md#bounds, manual/delivery.md
 */
export const configSchema = z.object({
	platforms: setting(
		z.object({
			webhook: setting(webhookSchema, 'The webhook receiver'),
			...messagingPlatforms,
		}),
		'Where events come from and results go to',
	),
	model: section(modelSettings, 'The language model'),
	runs: section(runsSettings, 'Agent runs'),
	...Object.fromEntries(sectionsOfKinds.map(({name, settings}) => [name, settings])),
	retention: section(retentionSettings, 'What is kept, and how long'),
	gateway: section(gatewaySettings, 'The gateway itself'),
	api: section(apiSettings, 'The chat API'),
	alerts: alertsSchema,
	approvals: section(approvalsSettings, 'Calls that need a yes'),
	mcp_servers: setting(toolServersSchema, 'Tool servers by name'),
	toolsets: toolsetsSchema,
	tools: section(toolsSettings, 'The tools of runs'),
	sandbox: section(sandboxSettings, 'What tools that touch this machine may reach'),
	metrics: section(metricsSettings, 'The metrics endpoint'),
	tls: section(tlsSettings, 'Whom connections trust'),
});

/** The settings of the receiver as written. */
export type RawWebhook = z.output<typeof webhookSchema>;
