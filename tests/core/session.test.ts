import {expect, test} from 'vitest';
import {messageText} from '../../source/core/session.ts';

test.each([
	[{role: 'user', content: 'Hi'}, 'Hi'],
	[
		{
			role: 'user',
			content: [
				{type: 'text', text: 'Look: '},
				{type: 'image_url', image_url: {url: 'x'}},
			],
		},
		'Look: [image_url]',
	],
	[{role: 'assistant', content: '', refusal: 'I do not'}, 'I do not'],
	[{role: 'assistant', content: [{type: 'refusal', refusal: 'I do not'}]}, 'I do not'],
	[{role: 'assistant', content: null, tool_calls: []}, ''],
])('a message %j says %j', (message, text) => {
	expect(messageText(message)).toBe(text);
});
