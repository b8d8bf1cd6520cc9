import type {SenderPreset} from './sender.ts';

/** @see https://core.telegram.org/bots/api#setwebhook */
export const telegram: SenderPreset = {
	description:
		'`X-Telegram-Bot-Api-Secret-Token` with the secret itself; the identifier is `update_id`; the event is the name of the key beside it (`message`, `callback_query`)',
	signature: {header: 'x-telegram-bot-api-secret-token', token: true, prefix: ''},
	names: {
		idFields: ['update_id'],
		eventIn: update => Object.keys(update).find(key => key !== 'update_id'),
	},
	subjects: [
		['{message.chat.title}[ · {message.text}]', 'update_id'],
		['{message.from.first_name}[ · {message.text}]', 'update_id'],
		['{callback_query.from.first_name}[ · {callback_query.data}]', 'update_id'],
	],
};
