import {z} from 'zod';
import {installReviewSchema, offeredInstallSchema} from '../../core/schemas/install.ts';
import {maybeText, text, yesOrNo} from '../../core/schemas/parts.ts';
import {get, look, post, type Operations} from './operation.ts';
import {numberOf} from './parameters.ts';

/** A link may be longer than its configuration: it may be percent-encoded, and contain keys that are ignored. */
const maxBodyBytes = 512 * 1024;

/** Tool servers from install links. A process that may open the socket may edit `config.yaml` as well: both belong to this user alone. */
export const install = {
	/** What installing from a link would do; asks no person and changes nothing. @throws SvcError as `reviewInstall` does */
	reviewInstall: look(
		'/v1/install/review',
		'What installing a tool server from a link would do. Body: {"link": "svc://mcp/install?…", "name": "instead of the link\'s"}.',
		{
			body: z.strictObject({link: text, name: maybeText}),
			maxBodyBytes,
			result: installReviewSchema,
		},
	),
	/**
	 * Shows a link to the person at the interface; installs nothing. A link that is already pending is not added again.
	 *
	 * @throws SvcError as `reviewInstall` does, `too_many_links`
	 */
	offerInstall: post(
		'/v1/install/offer',
		'Shows a link to the person at the interface, for ten minutes, at most five links at a time; installs nothing. Body: {"link": "svc://mcp/install?…"}.',
		{body: z.strictObject({link: text}), maxBodyBytes, result: offeredInstallSchema},
	),
	/** Links that wait for a person at the interface, oldest first. */
	listInstalls: get(
		'/v1/install',
		'The links that wait for a person at the interface, oldest first.',
		{result: z.array(offeredInstallSchema)},
	),
	/** Removes a pending link; `false` when it is not pending. */
	dismissInstall: post(
		'/v1/install/{id}/dismiss',
		'Drops a link that waits; answers whether it did.',
		{params: {id: numberOf('link')}, result: yesOrNo},
	),
	/**
	 * Adds a link's server to `config.yaml` once a person has seen its review, and removes the link from the pending ones.
	 * @throws SvcError as `reviewInstall` and `setToolServer` do; `confirmation_needed` for a program whose name was not typed
	 */
	installServer: post(
		'/v1/install',
		'Adds the tool server of a link, after a person saw its review; untrusted. Body: {"link": "svc://mcp/install?…", "name": "instead of the link\'s", "typedName": "its name, for a program"}.',
		{
			body: z.strictObject({link: text, name: maybeText, typedName: maybeText}),
			maxBodyBytes,
			result: installReviewSchema,
		},
	),
} as const satisfies Operations;
