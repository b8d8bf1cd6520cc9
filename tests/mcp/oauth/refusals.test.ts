import {expect, test} from 'vitest';
import {tokenRefusal} from '../../../source/mcp/oauth/refusals.ts';

const redact = (text: string) => text;

test.for(['code', 'code_verifier', 'refresh_token', 'client_secret', 'device_code'])(
	'a refusal that says the %s again that was sent is quoted without it',
	field => {
		const form = new URLSearchParams({
			grant_type: 'authorization_code',
			[field]: 'SENT-0123456789',
		});
		const text = JSON.stringify({
			error: 'invalid_request',
			error_description: 'we do not take SENT-0123456789',
		});

		const {message} = tokenRefusal({status: 400, text}, {form, redact});

		expect(message).toContain('HTTP 400');
		expect(message).not.toContain('SENT');
	},
);

test('of a long page the beginning is quoted', () => {
	const {message} = tokenRefusal(
		{status: 500, text: 'page '.repeat(10_000)},
		{form: new URLSearchParams(), redact},
	);

	expect(message.length).toBeLessThan(300);
});
