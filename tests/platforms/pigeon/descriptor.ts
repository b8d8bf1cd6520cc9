import {z} from 'zod';
import {nonEmptyText, setting} from '../../../source/core/schema-parts.ts';
import {defineSettings, section, type ValueOf} from '../../../source/core/settings.ts';
import {platform} from '../../../source/platforms/platform.ts';
import {requiredText} from '../../../source/platforms/target-keys.ts';
import type {TargetKind} from '../../../source/platforms/target-kind.ts';

const declared = defineSettings({
	enabled: setting(z.boolean(), {description: 'Whether pigeons fly', default: false}),
	home_channel: setting(nonEmptyText, {description: 'Where they fly to'}),
	api_base: setting(nonEmptyText, {description: 'Where they live'}),
	token: setting(nonEmptyText, {description: 'By which they are let out', secret: true}),
});

export type PigeonSettings = ValueOf<typeof declared.fields>;

/** A platform that nobody has: all that one costs is its folder, and a line in the list of kinds. `keyWindowMs`: how long it knows a key again. */
export const pigeon = (kind: string, window: {readonly keyWindowMs?: number} = {}) =>
	({
		...platform(kind),
		...window,
		text: {maxLength: 10_000, mentions: 'kept'},
		settings: section(declared, 'Delivery by pigeon'),
		differences: declared.differences,
		check: (extra, {homeChannel = ''}) => requiredText({chat_id: homeChannel, ...extra}, 'chat_id'),
		load: async () => import('./send.ts'),
	}) satisfies TargetKind<PigeonSettings, string>;
