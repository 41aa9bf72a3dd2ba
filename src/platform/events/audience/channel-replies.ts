/** The event type of an assistant's replies in channels. They go to the reply URL of their channel alone. */
export const CHANNEL_REPLY = 'im.reply';

/** Stands in the place of a command's code, and names the channel. */
export function codeOfReplyIn(channelCode: string): string {
  return `${CHANNEL_REPLY}:${channelCode}`;
}

export function channelOfReply(commandCode: string): string {
  return commandCode.slice(codeOfReplyIn('').length);
}
