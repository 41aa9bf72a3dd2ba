import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Application } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { MenuSeparator } from '../../ui/MenuSeparator.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import styles from './Assistant.module.css';
import { Composer } from './Composer.tsx';
import {
  conversationsQuery,
  CONVERSATIONS,
  isOpen,
  sayTo,
  transcriptQuery,
  type Message,
} from './conversation-query.ts';
import { MessageText } from './MessageText.tsx';
import { ProposalForm } from './ProposalForm.tsx';
import { ToolUses } from './ToolUses.tsx';
import { useReply, type Reply } from './use-reply.ts';

interface AssistantPanelProps {
  readonly application: Application;
  readonly onClose: () => void;
}

/** An assistant beside the page. It goes on with the newest conversation, wherever that was left. */
export default function AssistantPanel({ application, onClose }: AssistantPanelProps) {
  const [first] = application.assistants;
  const [assistant, setAssistant] = useState(first?.code ?? '');
  const conversations = useQuery(conversationsQuery);
  // Undefined: the newest; null: one that is still to begin.
  const [chosen, setChosen] = useState<string | null | undefined>();
  const own = (conversations.data ?? []).filter((one) => one.assistant === assistant);
  const id = chosen === undefined ? (own[0]?.conversationId ?? null) : chosen;
  const open = own.find(({ conversationId }) => conversationId === id);
  const [isDeleting, setDeleting] = useState(false);
  const name = application.assistants.find(({ code }) => code === assistant)?.name ?? assistant;
  return (
    <aside className={styles.panel} aria-label={t('Assistant')}>
      <header className={styles.head}>
        <h2>{name}</h2>
        <Menu
          align="end"
          trigger={
            <Button look="plain" label={t('Conversations')}>
              <Icon name="list" />
            </Button>
          }
        >
          {application.assistants.length > 1 &&
            application.assistants.map((one) => (
              <MenuItem
                key={one.code}
                onClick={() => {
                  setAssistant(one.code);
                  setChosen(undefined);
                }}
              >
                {one.name}
              </MenuItem>
            ))}
          {own.length === 0 && <MenuItem reason="">{t('No conversation yet')}</MenuItem>}
          {own.map(({ conversationId, title }) => (
            <MenuItem key={conversationId} onClick={() => setChosen(conversationId)}>
              {title}
            </MenuItem>
          ))}
          {open && (
            <>
              <MenuSeparator />
              <MenuItem isDangerous onClick={() => setDeleting(true)}>
                {t('Delete this conversation')}
              </MenuItem>
            </>
          )}
        </Menu>
        <Button look="plain" label={t('Begin a conversation')} onClick={() => setChosen(null)}>
          <Icon name="add" />
        </Button>
        <Button look="plain" label={t('Close the assistant')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      {open && isDeleting && (
        <ActionDialog
          title={t('Delete {name}', { name: open.title })}
          action={t('Delete 1 conversation')}
          isDangerous
          onAct={async () => {
            await ask('DELETE /api/ai/conversations/{id}', { params: { id: open.conversationId } });
            await queries.invalidateQueries({ queryKey: CONVERSATIONS });
            setDeleting(false);
            setChosen(null);
          }}
          onClose={() => setDeleting(false)}
        >
          {() => <p>{t('It is deleted for good. What it has changed stays.')}</p>}
        </ActionDialog>
      )}
      {conversations.isPending ? (
        <div className={styles.said}>
          <Skeleton width={60} />
        </div>
      ) : (
        <Conversation key={id ?? ''} application={application} assistant={assistant} id={id} onBegun={setChosen} />
      )}
    </aside>
  );
}

interface ConversationProps {
  readonly application: Application;
  readonly assistant: string;
  /** Null: it begins with what is said first. */
  readonly id: string | null;
  readonly onBegun: (id: string) => void;
}

function Conversation({ application, assistant, id, onBegun }: ConversationProps) {
  const transcript = useQuery({ ...transcriptQuery(id ?? ''), enabled: id !== null });
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const messages = transcript.data?.messages ?? [];
  const isMade = isOpen(messages.at(-1));
  const reply = useReply(assistant, id, isMade);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What it gives is a promise in some browsers, and no way to undo it.
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages.length, asked, reply]);

  async function send(message: string): Promise<boolean> {
    setAsked(message);
    setProblem(null);
    try {
      const conversationId = await sayTo(assistant, message, id);
      await queries.invalidateQueries({ queryKey: CONVERSATIONS });
      await queries.invalidateQueries({ queryKey: transcriptQuery(conversationId).queryKey });
      if (id === null) onBegun(conversationId);
      return true;
    } catch (error) {
      setProblem(shown(error));
      return false;
    } finally {
      setAsked(null);
    }
  }

  const ended = isMade ? messages.slice(0, -1) : messages;
  const failed = transcript.error && shown(transcript.error);
  return (
    <>
      <div className={styles.said} role="log" aria-label={t('Conversation')}>
        {failed && <Problem title={failed.title} advice={failed.advice} traceId={failed.traceId} />}
        {id === null && asked === null && (
          <p className={styles.hint}>
            {t('Ask about the records, or have something done. Nothing is done before you agree.')}
          </p>
        )}
        {ended.map((message) => (
          <SaidMessage key={message.messageId} application={application} message={message} />
        ))}
        {asked !== null && <p className={styles.mine}>{asked}</p>}
        {(isMade || asked !== null) && <LiveReply application={application} reply={reply} conversationId={id ?? ''} />}
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        <div ref={end} />
      </div>
      <Composer
        isWaiting={isMade || asked !== null}
        onSend={send}
        onStop={
          isMade && id !== null
            ? () => void ask('POST /api/ai/conversations/{id}/stop', { params: { id } }).catch(() => undefined)
            : undefined
        }
      />
    </>
  );
}

function SaidMessage({ application, message }: { readonly application: Application; readonly message: Message }) {
  if (message.role === 'user') return <p className={styles.mine}>{message.text}</p>;
  const { text, tools, records, confirmations, error } = message;
  const uses = tools.map((name, index) => ({ callId: `${index}`, name, ok: true }));
  const states = {
    OPEN: t('Waiting'),
    CONFIRMED: t('You agreed'),
    DECLINED: t('You declined'),
    EXPIRED: t('Too late'),
  };
  return (
    <div className={styles.theirs}>
      <ToolUses application={application} tools={uses} />
      {confirmations.map(({ confirmationId, commandCode, status }) => (
        <p key={confirmationId} className={styles.tool}>
          {application.commands.find(({ code }) => code === commandCode)?.name ?? commandCode}: {states[status]}
        </p>
      ))}
      {text !== '' && (
        <p className={styles.text}>
          <MessageText application={application} text={text} records={records} />
        </p>
      )}
      {error && <Problem title={error.message} />}
    </div>
  );
}

interface LiveReplyProps {
  readonly application: Application;
  readonly reply: Reply;
  readonly conversationId: string;
}

/** The answer as it comes. */
function LiveReply({ application, reply: { text, tools, proposal, error }, conversationId }: LiveReplyProps) {
  return (
    <div className={styles.theirs}>
      <ToolUses application={application} tools={tools} />
      {text === '' && !proposal && error === null && (
        <p className={styles.thinking} role="status">
          {t('Working on it')}
        </p>
      )}
      {text !== '' && <p className={styles.text}>{text}</p>}
      {proposal && <ProposalForm application={application} conversationId={conversationId} proposal={proposal} />}
      {error !== null && <Problem title={error} />}
    </div>
  );
}
