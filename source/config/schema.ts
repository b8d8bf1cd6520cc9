import {z} from 'zod';
import {looseSection, secret, setting, text, wholeNumber} from '../core/schema-parts.ts';
import {platformKinds, platformsToCome} from '../targets/targets.ts';
import {maxBodyBytes, rateLimit, routesSchema} from './route-schema.ts';
import {
	forgeSchema,
	metricsSchema,
	modelSchema,
	retentionSchema,
	runsSchema,
} from './section-schemas.ts';
import {toolServersSchema} from './tool-server-schema.ts';

const webhookSettings = {
	enabled: setting(z.boolean(), {description: 'Whether the receiver runs', default: false}),
	host: setting(text, {description: 'Address to listen on', default: '0.0.0.0'}),
	port: setting(wholeNumber(0, 65_535), {
		description: 'Port to listen on; 0: any free one',
		default: 8644,
	}),
	secret: setting(secret, {description: 'Secret of routes that have none of their own'}),
	rate_limit: rateLimit,
	max_body_bytes: maxBodyBytes,
	routes: setting(routesSchema, {description: 'Route name to route'}),
};

const webhookSchema = z.object({
	...webhookSettings,
	extra: setting(z.object(webhookSettings), {
		description: 'The same settings; where a key stands in both places, this one counts',
	}),
});

const messagingPlatforms: Readonly<Record<string, z.ZodType>> = Object.fromEntries([
	...platformKinds.map(({kind, settings = z.unknown()}) => [kind, settings]),
	...platformsToCome.map(name => [name, looseSection(`Settings of ${name}`)]),
]);

/** `config.yaml`: what it may hold and, parsed, what it says. @see manual/receiver.md#settings, manual/routes.md#keys, manual/runs.md#bounds, manual/delivery.md */
export const configSchema = z.object({
	platforms: setting(
		z.object({
			webhook: setting(webhookSchema, {description: 'The webhook receiver'}),
			...messagingPlatforms,
		}),
		{description: 'Where events come from and results go to'},
	),
	model: modelSchema,
	runs: runsSchema,
	forge: forgeSchema,
	retention: retentionSchema,
	gateway: setting(
		z.object({
			multiplex_profiles: setting(z.boolean(), {
				description: 'Serve several profiles under /p/<profile>/',
				default: false,
			}),
		}),
		{description: 'The gateway itself'},
	),
	api: looseSection('The chat completions API'),
	mcp_servers: setting(toolServersSchema, {description: 'Tool servers by name'}),
	metrics: metricsSchema,
});

/** The settings of the receiver as they are written. */
export type RawWebhook = z.output<typeof webhookSchema>;
