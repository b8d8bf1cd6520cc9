import {platform} from '../platform.ts';
import type {TargetKind} from '../target-kind.ts';
import {recipientsOf} from './recipients.ts';
import {emailDeclared, type EmailSettings, emailSettings} from './settings.ts';

/** Mail. @see manual/delivery-email.md */
export const email = {
	...platform('email'),
	afterBreak: 'uncertain',
	text: {maxLength: 500_000, mentions: 'kept'},
	settings: emailSettings,
	differences: emailDeclared.differences,
	check: (extra, {homeChannel}) => recipientsOf(extra, homeChannel),
	load: async () => import('./send.ts'),
} as const satisfies TargetKind<EmailSettings, readonly string[]>;
