import {z} from 'zod';
import {facts, maybeText, text} from '../../core/schemas/parts.ts';
import {setupDraftSchema, setupPlanSchema, writtenSetupSchema} from '../../core/schemas/setup.ts';
import {look, post, type Operations} from './operation.ts';

/** A prompt may be long. */
const maxBodyBytes = 2 * 1024 * 1024;

/** The settings of the receiver, and a first route. A process that may open the socket may edit the files as well: both belong to this user alone. */
export const setup = {
	/** The changes that the setup would make to `config.yaml`. @throws SvcError `config_broken`, `config_not_editable`, `file_too_large` */
	planSetup: look(
		'/v1/setup/plan',
		'What setting up the receiver would change in config.yaml; writes nothing. Body: {"enable": true, "host": "127.0.0.1", "port": 8644, "makeSecret": true, "route": {"name": "…", "events": ["push"], "prompt": "…"}}, each of them optional.',
		{body: setupDraftSchema, maxBodyBytes, result: setupPlanSchema},
	),
	/** Writes the setup, keeping comments. @throws SvcError `setup_refused`, `setup_conflict` when the file no longer has the `fingerprint`; what `editConfig` throws */
	setUp: post(
		'/v1/setup',
		'Sets up the receiver in config.yaml, unless the file has been changed since its fingerprint was planned. A new secret is answered once. Body: as for the plan, with its "fingerprint".',
		{body: setupDraftSchema, maxBodyBytes, result: writtenSetupSchema},
	),
	/** Sends a message to a platform, for a person to see. @throws SvcError of `DeliveryError` */
	testPlatform: post(
		'/v1/platforms/{name}/test',
		'Sends a test message to a platform, and answers with its receipt. Body: {"chat_id": "…", "thread_id": "…"}, each of them optional.',
		{
			body: z.strictObject({chat_id: maybeText, thread_id: maybeText}),
			result: facts({delivered: text}),
		},
	),
} as const satisfies Operations;
