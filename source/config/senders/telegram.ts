import type {SenderPreset} from './sender.ts';

/** @see https://core.telegram.org/bots/api#setwebhook */
export const telegram: SenderPreset = {
	description:
		'`X-Telegram-Bot-Api-Secret-Token` with the secret itself; the identifier is `update_id`, the event the member beside it (`message`, `callback_query`)',
	signature: {header: 'x-telegram-bot-api-secret-token', token: true, prefix: ''},
	names: {
		idFields: ['update_id'],
		eventIn: update => Object.keys(update).find(key => key !== 'update_id'),
	},
	subjects: [
		{text: '{message.chat.title}', more: [' · {message.text}'], needs: 'update_id'},
		{text: '{message.from.first_name}', more: [' · {message.text}'], needs: 'update_id'},
		{
			text: '{callback_query.from.first_name}',
			more: [' · {callback_query.data}'],
			needs: 'update_id',
		},
	],
};
